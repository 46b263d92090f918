#pragma once

#include "tests/support/daemon.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tools/fake_provider/provider.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace notify::test {

/// A database with jobs, a provider that can be told to hold its answers, and `notifyd` as a
/// process of its own that delivers, without Kafka. One process at a time, or several.
class kill_fixture {
public:
  kill_fixture() = default;

  /// Stores fresh events with one e-mail each, as an inbox writer does.
  void seed(size_t count);

  /// Starts `notifyd` under this name with the fixture's settings and these on top. The later of
  /// two settings of one name counts.
  daemon start(const std::string& instance, const std::vector<std::string>& more = {});

  /// The command line that `start` uses.
  std::vector<std::string> arguments(const std::string& instance,
                                     const std::vector<std::string>& more) const;

  /// Lets the provider behave well, starts a process with these settings and waits until everything
  /// is sent and every lease is over; then stops it in order.
  void finish(const std::vector<std::string>& more = {});

  /// Waits until the query's single value is as wanted, and requires it.
  void require_value(const std::string& sql, const std::string& wanted);

  /// Ends the sessions of `instance` in the database; how many there were.
  int terminate(const std::string& instance);

  /// What the provider accepted, by job.
  acceptances accepted() const;

  /// What it accepted of jobs that the database does not know as sent, so that these may be sent
  /// again. Waits for what is still under way in sessions of `instance`, which has ended.
  acceptances accepted_unrecorded(const std::string& instance);

  /// CHECKs the invariants.
  void check_invariants();

  postgres_fixture db;
  fake::provider provider{{}};

private:
  std::vector<std::string> settings(const std::string& instance) const;

  uint64_t seeded_ = 0;
};

/// Waits until the program has written a log line with this message.
bool await_message(const daemon& program, const std::string& message);

/// The highest lease id so far: what is claimed from now on is above it.
int64_t last_lease(postgres_fixture& db);

} // namespace notify::test
