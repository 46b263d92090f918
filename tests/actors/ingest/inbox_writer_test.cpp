#include "actors/inbox_writer.hpp"

#include "actors/ingest_plan.hpp"
#include "messages/error.hpp"
#include "tests/actors/ingest/sample_records.hpp"
#include "tests/actors/ingest/scripted_ingest_store.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/probe.hpp"

namespace notify {
namespace {

using test::envelope;
using test::event_id;
using test::record;

struct inbox_writer_fixture : test::actor_fixture {
  inbox_writer_fixture() { settle(); }

  ~inbox_writer_fixture() {
    stop(writer);
    stop(dispatcher);
  }

  caf::expected<batch_stored> store(std::vector<kafka_record> records) {
    return ask<batch_stored>(writer, store_batch{42, std::move(records)});
  }

  actor_status status() { return *ask<actor_status>(writer, get_status{}); }

  int64_t counter(const std::string& name) { return status().counters[name]; }

  /// `count` good records; the bad ones among them are refused by storage.
  std::vector<kafka_record> records(size_t count, const std::vector<size_t>& bad = {}) {
    std::vector<kafka_record> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(record(static_cast<int64_t>(i), envelope(i)));
    for (auto i : bad)
      storage->bad.insert(event_id(i));
    return result;
  }

  std::shared_ptr<test::scripted_ingest_store> storage =
      std::make_shared<test::scripted_ingest_store>();
  std::shared_ptr<test::received> hints = std::make_shared<test::received>();
  job_dispatcher_actor dispatcher = test::spawn_probe<job_dispatcher_actor>(system, hints);
  inbox_writer_actor writer =
      system.spawn(inbox_writer, inbox_writer_config{}, ingest_store_ptr{storage}, test::routes(),
                   dispatcher_resolver{[this] { return dispatcher; }});
};

TEST_CASE_METHOD(inbox_writer_fixture, "a batch becomes events, jobs, positions and a hint") {
  auto answer =
      store({record(10, envelope(1)), record(11, envelope(2)), record(7, envelope(3), 1)});
  REQUIRE(answer);
  CHECK(answer->id == 42);
  CHECK(answer->events == 3);
  CHECK(answer->jobs == 3);
  CHECK(storage->calls == 1);
  REQUIRE(storage->moves.size() == 2);
  CHECK(storage->moves[0].first_offset == 10);
  CHECK(storage->moves[0].next_offset == 12);
  CHECK(storage->moves[0].records == 2);
  CHECK(storage->moves[1].partition == 1);
  CHECK(storage->moves[1].next_offset == 8);
  REQUIRE(hints->hints.size() == 1);
  CHECK(hints->hints[0].channels == std::vector<std::string>{"email"});
}

TEST_CASE_METHOD(inbox_writer_fixture, "K-20: a repeated event is counted and gives no hint") {
  REQUIRE(store({record(1, envelope(1))}));
  auto answer = store({record(1, envelope(1)), record(2, envelope(1))});
  REQUIRE(answer);
  CHECK(answer->events == 0);
  CHECK(answer->duplicates == 2);
  CHECK(answer->jobs == 0);
  CHECK(hints->hints.size() == 1);
}

TEST_CASE_METHOD(inbox_writer_fixture,
                 "K-20: of one id with two payloads the first wins and it is told") {
  auto answer = store({record(1, envelope(1, R"({"email":"a@example.com"})")),
                       record(2, envelope(1, R"({"email":"b@example.com"})")),
                       record(3, envelope(1, R"({"email":"a@example.com"})"))});
  REQUIRE(answer);
  CHECK(answer->events == 1);
  CHECK(answer->duplicates == 2);
  CHECK(answer->jobs == 1);
  CHECK(counter("conflicts") == 1);
}

TEST_CASE_METHOD(inbox_writer_fixture, "records that can never be processed become dead letters") {
  auto tombstone = record(5, "");
  tombstone.value = {};
  tombstone.headers = {{"trace", {true, std::string{"\xff\0", 2}}}, {"none", {}}};
  auto answer = store({record(1, envelope(1)), record(2, "{broken"), record(3, envelope(3, "{}")),
                       record(4, envelope(4)), tombstone});
  REQUIRE(answer);
  CHECK(answer->events == 2);
  CHECK(answer->dead_letters == 3);
  REQUIRE(storage->letters.size() == 3);
  CHECK(storage->letters[0].reason == "not_json");
  CHECK(storage->letters[0].record == record(2, "{broken"));
  CHECK(storage->letters[1].reason == "missing_route_data");
  CHECK(storage->letters[1].event_id == event_id(3));
  CHECK(storage->letters[2].reason == "tombstone");
  CHECK(storage->letters[2].record == tombstone);
  CHECK(storage->letters_with_moves == 1);
  CHECK(storage->moves[0].next_offset == 6);
  CHECK(counter("refused.not_json") == 1);
}

TEST_CASE_METHOD(inbox_writer_fixture, "an event whose copy was refused is stored") {
  auto answer = store({record(1, envelope(1, "{}")), record(2, envelope(1))});
  REQUIRE(answer);
  CHECK(answer->events == 1);
  CHECK(answer->dead_letters == 1);
  CHECK(answer->duplicates == 0);
}

TEST_CASE_METHOD(inbox_writer_fixture, "an event type without a route is stored without jobs") {
  auto answer = store({record(1, envelope(1, "{}", "stock.changed.v1"))});
  REQUIRE(answer);
  CHECK(answer->events == 1);
  CHECK(answer->jobs == 0);
  CHECK(counter("unrouted") == 1);
  CHECK(hints->hints.empty());
}

TEST_CASE_METHOD(inbox_writer_fixture,
                 "K-19: events that storage refuses are found and dead-lettered") {
  auto bad = GENERATE(std::vector<size_t>{0}, std::vector<size_t>{250}, std::vector<size_t>{499},
                      std::vector<size_t>{0, 499}, std::vector<size_t>{7, 8});
  auto input = records(500, bad);
  auto answer = store(input);
  REQUIRE(answer);
  CHECK(answer->events == 500 - bad.size());
  CHECK(answer->jobs == 500 - bad.size());
  CHECK(answer->duplicates == 0);
  CHECK(answer->dead_letters == bad.size());
  REQUIRE(storage->letters.size() == bad.size());
  for (size_t i = 0; i < bad.size(); ++i) {
    CHECK(storage->letters[i].reason == "storage_refused");
    CHECK(storage->letters[i].detail == "storage_data(\"22P02\")");
    CHECK(storage->letters[i].record == input[bad[i]]);
    CHECK(storage->letters[i].event_id == event_id(bad[i]));
  }
  CHECK(storage->letters_with_moves == 1);
  REQUIRE(storage->moves.size() == 1);
  CHECK(storage->moves[0].next_offset == 500);
}

TEST_CASE_METHOD(inbox_writer_fixture, "a batch of nothing but refused events goes by as well") {
  std::vector<size_t> all(50);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  auto good = GENERATE(0u, 1u);
  all.resize(all.size() - good);
  auto answer = store(records(50, all));
  REQUIRE(answer);
  CHECK(answer->events == good);
  CHECK(answer->dead_letters == 50 - good);
  CHECK(counter("refused_in_a_row") == (good == 0 ? 50 : 0));
}

TEST_CASE_METHOD(inbox_writer_fixture, "an event is tried three times before it is given up") {
  REQUIRE(store(records(1, {0})));
  CHECK(storage->calls == 4); // The last one stores its dead letter.
}

TEST_CASE_METHOD(inbox_writer_fixture, "an outage is answered as it is and makes no dead letter") {
  storage->errors = {ec::storage_unavailable};
  auto answer = store(records(3));
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == ec::storage_unavailable);
  CHECK(storage->letters.empty());
  CHECK(status().state == "waiting for storage");
  REQUIRE(store(records(3)));
  CHECK(storage->events.size() == 3);
  CHECK(status().state == "idle");
}

TEST_CASE_METHOD(inbox_writer_fixture,
                 "an outage during the search for a culprit ends the search") {
  auto input = records(4, {2});
  storage->errors = {ec::storage_data, ec::storage_unavailable};
  auto answer = store(input);
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == ec::storage_unavailable);
  CHECK(storage->moves.empty());
  auto again = store(input);
  REQUIRE(again);
  CHECK(again->events == 3);
  CHECK(again->dead_letters == 1);
}

TEST_CASE_METHOD(inbox_writer_fixture, "a deadlock runs the same batch again, a few times") {
  storage->errors = {ec::storage_conflict, ec::storage_conflict};
  auto answer = store(records(2));
  REQUIRE(answer);
  CHECK(answer->events == 2);
  CHECK(storage->calls == 3);
  storage->errors = {ec::storage_conflict, ec::storage_conflict, ec::storage_conflict};
  CHECK(store(records(2)).error() == ec::storage_conflict);
}

TEST_CASE_METHOD(inbox_writer_fixture, "a missing table is answered and makes no dead letter") {
  storage->errors = {ec::storage_schema};
  CHECK(store(records(2)).error() == ec::storage_schema);
  CHECK(storage->letters.empty());
}

TEST_CASE_METHOD(inbox_writer_fixture, "an empty batch asks storage whether it is there") {
  storage->errors = {ec::storage_unavailable};
  CHECK(store({}).error() == ec::storage_unavailable);
  auto answer = store({});
  REQUIRE(answer);
  CHECK(storage->calls == 2);
}

TEST_CASE_METHOD(inbox_writer_fixture, "without a dispatcher the batch is stored all the same") {
  stop(dispatcher);
  dispatcher = job_dispatcher_actor{};
  CHECK(store(records(1)));
}

/// Records that are not JSON.
std::vector<kafka_record> unfit(int64_t first, size_t count) {
  std::vector<kafka_record> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(record(first + static_cast<int64_t>(i), "{broken"));
  return result;
}

TEST_CASE_METHOD(inbox_writer_fixture, "a batch with too many unfit records is not stored at all") {
  auto batch = unfit(3, 50);
  batch.insert(batch.begin(), record(1, envelope(1)));
  auto answer = store(batch);
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == ec::ingest_halted);
  CHECK(render(answer.error())
        == "ingest_halted(\"50 records in a row are unfit, the first of them orders/0 at 3: "
           "not_json\")");
  CHECK(storage->events.empty());
  CHECK(storage->letters.empty());
  CHECK(storage->moves.empty());
  CHECK(storage->marks.empty());
  CHECK(status().state == "halted");
  CHECK(counter("halts") == 1);
  // What is fit goes on, and the same batch is refused again.
  CHECK(store({record(1, envelope(1), 1)}));
  CHECK(status().state == "idle");
  CHECK(store(batch).error() == ec::ingest_halted);
}

TEST_CASE_METHOD(inbox_writer_fixture, "unfit records of several batches halt together") {
  REQUIRE(store(unfit(0, 49)));
  CHECK(store(unfit(49, 1)).error() == ec::ingest_halted);
  CHECK(storage->letters.size() == 49);
}

TEST_CASE_METHOD(inbox_writer_fixture, "records that routing refuses halt as well") {
  std::vector<kafka_record> batch;
  for (uint64_t i = 0; i < 50; ++i)
    batch.push_back(record(static_cast<int64_t>(i), envelope(i, "{}")));
  CHECK(store(batch).error() == ec::ingest_halted);
}

TEST_CASE_METHOD(inbox_writer_fixture, "one writer's halt is the other one's") {
  inbox_writer_config settings;
  settings.commons = std::make_shared<ingest_commons>(ingest_breaker_policy{});
  auto spawn = [&] {
    return system.spawn(inbox_writer, settings, ingest_store_ptr{storage}, test::routes(),
                        dispatcher_resolver{[] { return job_dispatcher_actor{}; }});
  };
  auto first = spawn();
  auto second = spawn();
  settle();
  CHECK(ask<batch_stored>(first, store_batch{1, unfit(0, 30)}));
  CHECK(ask<batch_stored>(second, store_batch{2, unfit(30, 19)}));
  for (auto& x : {first, second})
    CHECK(ask<batch_stored>(x, store_batch{3, unfit(49, 1)}).error() == ec::ingest_halted);
  stop(first);
  stop(second);
}

TEST_CASE_METHOD(inbox_writer_fixture, "an operator can let unfit records through") {
  inbox_writer_config settings;
  settings.breaker.enabled = false;
  auto careless = system.spawn(inbox_writer, settings, ingest_store_ptr{storage}, test::routes(),
                               dispatcher_resolver{[] { return job_dispatcher_actor{}; }});
  settle();
  auto answer = ask<batch_stored>(careless, store_batch{1, unfit(0, 300)});
  REQUIRE(answer);
  CHECK(answer->dead_letters == 300);
  stop(careless);
}

TEST_CASE_METHOD(inbox_writer_fixture, "a crash order ends the writer with its reason") {
  self->monitor(writer);
  self->send(writer, crash_now{"on purpose"});
  settle();
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == ec::crashed); });
}

} // namespace
} // namespace notify
