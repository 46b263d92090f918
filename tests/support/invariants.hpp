#pragma once

#include "tests/support/postgres_fixture.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

// What docs/guarantees.md promises of the tables, checked by counting. Each function returns what
// does not hold, one line each, so that a test says CHECK(broken_invariants(...).empty()) with the
// lines in front of it, or compares with `nothing`. Link tests/persistence/samples.cpp as well.

namespace notify::test {

inline const std::vector<std::string> nothing{};

/// Every stored event of this type has exactly one job in this channel.
struct expected_route {
  std::string event_type;
  std::string channel;
};

/// Holds at every instant, whoever was killed where: each event has the jobs of its routes and no
/// job is without its event; an open job is in exactly one place and a terminal one in none;
/// attempts belong to jobs, no more than one of a job was sent, and the numbers of a terminal job's
/// attempts have no gap; budgets are what the attempts say; the six statuses add up to all jobs;
/// the running totals are what can be counted.
std::vector<std::string> broken_invariants(postgres_fixture& db,
                                           const std::vector<expected_route>& routes);

/// Holds once nothing is left to do: every job is sent, nothing waits, nothing is leased.
std::vector<std::string> unfinished_work(postgres_fixture& db);

/// Accepted messages by job id.
using acceptances = std::map<std::string, size_t>;

/// Holds for what a provider accepted: it had every job that is sent at least once, knows no
/// message that is not a job's, and had a job more than once only as often as `spare` allows, by
/// job id: once for each attempt that it had accepted when the attempt's process died.
std::vector<std::string> broken_deliveries(postgres_fixture& db, const acceptances& accepted,
                                           const acceptances& spare = {});

} // namespace notify::test
