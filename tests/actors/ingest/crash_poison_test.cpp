#include "actors/inbox_writer.hpp"

#include "actors/ingest_plan.hpp"
#include "messages/error.hpp"
#include "tests/actors/ingest/sample_records.hpp"
#include "tests/actors/ingest/scripted_ingest_store.hpp"
#include "tests/support/actor_fixture.hpp"

namespace notify {
namespace {

using test::envelope;
using test::event_id;
using test::record;

/// Records that kill their writer. A writer that died is replaced by a new one, which has nothing
/// but the store in common with it, as after the death of a whole process.
struct crash_fixture : test::actor_fixture {
  crash_fixture() { spawn(); }

  ~crash_fixture() { stop(writer); }

  void spawn() {
    settings.watched_records = 10;
    writer = system.spawn(inbox_writer, settings, ingest_store_ptr{storage}, test::routes(),
                          dispatcher_resolver{[] { return job_dispatcher_actor{}; }});
    settle();
  }

  void restart() {
    stop(writer);
    spawn();
  }

  caf::expected<batch_stored> store(std::vector<kafka_record> records) {
    auto answer = ask<batch_stored>(writer, store_batch{1, std::move(records)});
    if (!answer && answer.error() == ec::crashed)
      spawn();
    return answer;
  }

  /// Says the batch again until it is stored; how many writers died over it.
  int deaths_over(const std::vector<kafka_record>& records) {
    for (int deaths = 0; deaths < 100; ++deaths) {
      auto answer = store(records);
      if (answer)
        return deaths;
      REQUIRE(answer.error() == ec::crashed);
    }
    FAIL("no writer survives this");
    return 0;
  }

  /// Records with these numbers as offsets and ids.
  static std::vector<kafka_record> records(int64_t first, int64_t next, int32_t partition = 0) {
    std::vector<kafka_record> result;
    for (auto i = first; i < next; ++i)
      result.push_back(record(i, envelope(static_cast<uint64_t>(i + 1000 * partition)), partition));
    return result;
  }

  std::shared_ptr<test::scripted_ingest_store> storage =
      std::make_shared<test::scripted_ingest_store>();
  inbox_writer_config settings;
  inbox_writer_actor writer;
};

TEST_CASE_METHOD(crash_fixture, "a record that kills three writers becomes a dead letter, its "
                                "neighbours are stored") {
  auto place = GENERATE(0, 3, 7);
  storage->deadly = {event_id(static_cast<uint64_t>(place))};
  auto batch = records(0, 8);
  CHECK(deaths_over(batch) == 3);
  CHECK(storage->events.size() == 7);
  CHECK_FALSE(storage->events.contains(event_id(static_cast<uint64_t>(place))));
  REQUIRE(storage->letters.size() == 1);
  CHECK(storage->letters[0].reason == "crashed_repeatedly");
  CHECK(storage->letters[0].detail == "its writer or the process died 3 times over it");
  CHECK(storage->letters[0].record == batch[static_cast<size_t>(place)]);
  CHECK_FALSE(storage->letters[0].event_id);
  CHECK(storage->marks.empty());
}

TEST_CASE_METHOD(crash_fixture, "a record that comes alone is found as well") {
  storage->deadly = {event_id(0)};
  CHECK(deaths_over(records(0, 1)) == 3);
  CHECK(storage->letters.size() == 1);
  CHECK(storage->marks.empty());
  CHECK(deaths_over(records(1, 9)) == 0);
}

TEST_CASE_METHOD(crash_fixture, "several records that kill are found one after the other") {
  storage->deadly = {event_id(2), event_id(5)};
  CHECK(deaths_over(records(0, 8)) == 6);
  CHECK(storage->events.size() == 6);
  // The first one came again while the second was searched, and was not looked into.
  std::set<int64_t> dead;
  for (const auto& x : storage->letters)
    dead.insert(x.record.offset);
  CHECK(dead == std::set<int64_t>{2, 5});
  CHECK(storage->marks.empty());
}

TEST_CASE_METHOD(crash_fixture,
                 "of two partitions in one batch only the culprit's loses a record") {
  storage->deadly = {event_id(1002)};
  auto batch = records(0, 4);
  auto second = records(0, 4, 1);
  batch.insert(batch.end(), second.begin(), second.end());
  CHECK(deaths_over(batch) == 3);
  CHECK(storage->events.size() == 7);
  REQUIRE(storage->letters.size() == 1);
  CHECK(storage->letters[0].record.partition == 1);
  CHECK(storage->letters[0].record.offset == 2);
}

TEST_CASE_METHOD(crash_fixture, "a record that kills long after the start is found as well") {
  REQUIRE(store(records(0, 10)));
  REQUIRE(store(records(10, 30)));
  storage->deadly = {event_id(33)};
  // The first death leaves no mark: nothing was watched any more.
  CHECK(deaths_over(records(30, 40)) == 4);
  CHECK(storage->events.size() == 39);
  REQUIRE(storage->letters.size() == 1);
  CHECK(storage->letters[0].record.offset == 33);
}

TEST_CASE_METHOD(crash_fixture,
                 "batches that are cut otherwise after a death lead to the same end") {
  storage->deadly = {event_id(5)};
  CHECK(store(records(0, 8)).error() == ec::crashed);
  CHECK(deaths_over(records(0, 3)) == 0);
  CHECK(deaths_over(records(3, 6)) == 2);
  CHECK(deaths_over(records(6, 8)) == 0);
  CHECK(storage->events.size() == 7);
  CHECK(storage->letters.size() == 1);
}

TEST_CASE_METHOD(crash_fixture, "deaths that were not the record's fault cost it nothing") {
  for (int round = 0; round < 10; ++round) {
    // A death in the middle of a batch, each time over another record.
    storage->deadly = {event_id(static_cast<uint64_t>(round))};
    CHECK(store(records(0, 10)).error() == ec::crashed);
    storage->deadly.clear();
    REQUIRE(store(records(0, 10)));
  }
  CHECK(storage->events.size() == 10);
  CHECK(storage->letters.empty());
  CHECK(storage->marks.empty());
}

TEST_CASE_METHOD(crash_fixture, "marks cost nothing once the first batches have gone by") {
  REQUIRE(store(records(0, 6)));
  REQUIRE(store(records(6, 12)));
  CHECK(storage->mark_calls == 2);
  REQUIRE(store(records(12, 22)));
  CHECK(storage->mark_calls == 2);
  CHECK(storage->look_ups == 1);
  CHECK(storage->calls == 3);
  // A new life watches again, from where the last one came to.
  restart();
  REQUIRE(store(records(12, 22)));
  CHECK(storage->mark_calls == 3);
  REQUIRE(store(records(22, 32)));
  REQUIRE(store(records(32, 42)));
  CHECK(storage->mark_calls == 4);
  CHECK(storage->look_ups == 2);
}

TEST_CASE_METHOD(crash_fixture, "an error is no death: it leaves no mark behind") {
  auto code = GENERATE(ec::storage_unavailable, ec::storage_schema);
  for (int round = 0; round < 5; ++round) {
    storage->errors = {code};
    CHECK(store(records(0, 3)).error() == code);
    CHECK(storage->marks.empty());
    restart();
  }
  REQUIRE(store(records(0, 3)));
  CHECK(storage->letters.empty());
}

TEST_CASE_METHOD(crash_fixture,
                 "a record that may be deadly is tried alone until an error is over") {
  storage->deadly = {event_id(1)};
  CHECK(store(records(0, 3)).error() == ec::crashed);
  storage->deadly.clear();
  storage->errors = {ec::storage_unavailable};
  CHECK(store(records(0, 3)).error() == ec::storage_unavailable);
  REQUIRE(store(records(0, 3)));
  CHECK(storage->events.size() == 3);
  CHECK(storage->letters.empty());
  CHECK(storage->marks.empty());
}

TEST_CASE_METHOD(crash_fixture,
                 "what the database refuses is marked while its culprit is searched") {
  REQUIRE(store(records(0, 10)));
  auto before = storage->mark_calls;
  storage->bad = {event_id(12)};
  auto answer = store(records(10, 14));
  REQUIRE(answer);
  CHECK(answer->events == 3);
  CHECK(answer->dead_letters == 1);
  CHECK(storage->mark_calls == before + 1);
  CHECK(storage->marks.empty());
  // An outage in the middle of the search leaves nothing behind either.
  storage->bad = {event_id(16)};
  storage->errors = {ec::storage_data, ec::storage_unavailable};
  CHECK(store(records(14, 18)).error() == ec::storage_unavailable);
  CHECK(storage->marks.empty());
}

TEST_CASE_METHOD(crash_fixture,
                 "offsets that were set back are read again, watched but not blamed") {
  REQUIRE(store(records(0, 10)));
  REQUIRE(store(records(10, 20)));
  restart();
  auto again = store(records(0, 10));
  REQUIRE(again);
  CHECK(again->duplicates == 10);
  REQUIRE(store(records(10, 20)));
  CHECK(storage->letters.empty());
  CHECK(storage->marks.empty());
}

} // namespace
} // namespace notify
