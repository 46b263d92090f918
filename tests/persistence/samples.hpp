#pragma once

#include "persistence/ingest_store.hpp"
#include "tests/support/postgres_fixture.hpp"

#include "messages/delivery.hpp"
#include "messages/events.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace notify::test {

using namespace std::chrono_literals;

/// A valid event; `number` makes its id.
event sample_event(uint64_t number);

/// A job for an event; its id is derived from the event's and the channel.
new_job sample_job(const event& of, const std::string& channel = "email");

/// Events 1 to `count`, each with one job per channel.
ingest_batch sample_batch(uint64_t count, const std::vector<std::string>& channels = {"email"});

/// Stores `sample_batch(count)` in the fixture's database.
void ingest(postgres_fixture& db, uint64_t count,
            const std::vector<std::string>& channels = {"email"});

attempt_ref ref_of(const delivery_job& job);

/// A result as the workers make it.
attempt_result sample_result(const delivery_job& job, next_step next);

/// The status that the view tells.
std::string status_of(postgres_fixture& db, const uuid& job_id);

/// Waits until a session of this role, e.g. `claim`, waits for a lock; false if none does.
bool blocked(postgres_fixture& db, const std::string& role);

/// How many open jobs are not in exactly one place, or terminal ones in the queue: zero at every
/// instant. Attempts recorded in a lease do not count as being there.
int misplaced_jobs(postgres_fixture& db);
int misplaced_jobs(raw_connection& db);

/// How many terminal jobs are still in flight: those that a late success ended meanwhile.
int overtaken_jobs(postgres_fixture& db);

} // namespace notify::test
