#include "persistence/pg_ingest_store.hpp"

#include "messages/error.hpp"
#include "persistence/pg_claim_store.hpp"
#include "tests/persistence/samples.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <thread>

namespace notify {
namespace {

using namespace test;

dead_letter sample_letter(int64_t offset) {
  dead_letter x;
  x.record.topic = "orders.events.v1";
  x.record.partition = 1;
  x.record.offset = offset;
  x.record.timestamp_ms = 1788278400000;
  x.record.key = {true, std::string("k\0\xff", 3)};
  x.record.headers = {
      {"a", {true, std::string("\0{\"\\", 4)}}, {"\xfe", {false, ""}}, {"a", {true, ""}}};
  x.reason = "not_json";
  x.detail = "at byte 3";
  return x;
}

TEST_CASE("ingest stores events, their jobs and the jobs' queue rows") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  auto report = store.store(sample_batch(3, {"email", "telegram"}));
  REQUIRE(report);
  CHECK(report->events == 3);
  CHECK(report->duplicates == 0);
  CHECK(report->jobs == 6);
  CHECK(misplaced_jobs(db) == 0);
  auto event = sample_event(2);
  auto row = db.query("select type, producer, aggregate_id, correlation_id, "
                      "(extract(epoch from occurred_at) * 1000000)::bigint, topic, partition, "
                      "\"offset\", traceparent, payload::text, encode(payload_sha256, 'hex') "
                      "from notify.inbox_events where event_id = '"
                      + to_string(event.event_id) + "'");
  CHECK(row.at(0)
        == std::vector<std::string>{event.type, event.producer, event.aggregate_id,
                                    event.correlation_id, std::to_string(event.occurred_at_us),
                                    event.topic, "3", "2", event.traceparent, event.payload,
                                    event.payload_sha256});
  auto job = sample_job(event, "telegram");
  CHECK(db.query("select event_type, channel, recipient, template_key, locale, status, "
                 "attempt_count, next_attempt_no, correlation_id from notify.notifications "
                 "where id = '"
                 + to_string(job.id) + "'")
            .at(0)
        == std::vector<std::string>{job.event_type, "telegram", job.recipient, job.template_key,
                                    "en", "pending", "0", "1", event.correlation_id});
}

TEST_CASE("an event that was stored before makes no job again") {
  postgres_fixture db;
  ingest(db, 2);
  pg_ingest_store store{db.config()};
  auto report = store.store(sample_batch(3));
  REQUIRE(report);
  CHECK(report->events == 1);
  CHECK(report->duplicates == 2);
  CHECK(report->jobs == 1);
  CHECK(db.value("select count(*) from notify.job_queue") == "3");
}

TEST_CASE("a job outlives its event: a replay after the event was pruned does not send again") {
  postgres_fixture db;
  ingest(db, 1);
  db.query("delete from notify.inbox_events; delete from notify.job_queue; "
           "update notify.notification_jobs set status = 'sent', finished_at = now()");
  pg_ingest_store store{db.config()};
  auto report = store.store(sample_batch(1));
  REQUIRE(report);
  CHECK(report->events == 1);
  CHECK(report->jobs == 0);
  CHECK(db.value("select count(*) from notify.job_queue") == "0");
}

TEST_CASE("D-B5: what comes three times in one batch is stored once") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  auto batch = sample_batch(2, {"email", "webhook"});
  auto copies = batch;
  for (int i = 0; i < 2; ++i) {
    batch.events.insert(batch.events.end(), copies.events.begin(), copies.events.end());
    batch.jobs.insert(batch.jobs.end(), copies.jobs.begin(), copies.jobs.end());
    batch.dead_letters.push_back(sample_letter(7));
    batch.moves.push_back({"orders.events.v1", 3, 1, 3, 2});
  }
  batch.dead_letters.push_back(sample_letter(7));
  auto report = store.store(batch);
  INFO((report ? std::string{} : render(report.error())));
  REQUIRE(report);
  CHECK(report->events == 2);
  CHECK(report->duplicates == 4);
  CHECK(report->jobs == 4);
  CHECK(report->dead_letters == 1);
  CHECK(db.value("select count(*) from notify.job_queue") == "4");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE("a job waits for its time and keeps its end") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  auto batch = sample_batch(4);
  constexpr int64_t far = 4102444800123456; // 2100-01-01, and some microseconds.
  batch.jobs[0].not_before_us = far;
  batch.jobs[1].not_before_us = 1000000; // Long ago.
  batch.jobs[2].expires_at_us = far;
  REQUIRE(store.store(batch));
  auto row = [&](size_t i) {
    return db
        .query("select q.due_at > now(), (extract(epoch from q.due_at) * 1000000)::bigint "
               "= "
               + std::to_string(far)
               + ", q.due_at = j.created_at, "
                 "(extract(epoch from j.expires_at) * 1000000)::bigint "
                 "from notify.job_queue q join notify.notification_jobs j on j.id = q.job_id "
                 "where j.id = '"
               + to_string(batch.jobs[i].id) + "'")
        .at(0);
  };
  using strings = std::vector<std::string>;
  CHECK(row(0) == strings{"t", "t", "f", "NULL"});
  CHECK(row(1) == strings{"f", "f", "t", "NULL"});
  CHECK(row(2) == strings{"f", "f", "t", std::to_string(far)});
  CHECK(row(3) == strings{"f", "f", "t", "NULL"});
  pg_claim_store claims{db.config(), uuid::random()};
  auto jobs = claims.claim("email", 10, 60s);
  REQUIRE(jobs);
  CHECK(jobs->size() == 3);
}

TEST_CASE("an event without a route is stored without jobs, an empty batch is nothing") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  ingest_batch batch;
  batch.events.push_back(sample_event(1));
  auto report = store.store(batch);
  REQUIRE(report);
  CHECK(report->events == 1);
  CHECK(report->jobs == 0);
  auto nothing = store.store({});
  REQUIRE(nothing);
  CHECK(nothing->events == 0);
}

TEST_CASE("dead letters keep key, value and headers as bytes, once per record") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  ingest_batch batch;
  batch.dead_letters = {sample_letter(8), sample_letter(7), sample_letter(8)};
  batch.dead_letters[1].event_id = sample_event(1).event_id;
  auto report = store.store(batch);
  REQUIRE(report);
  CHECK(report->dead_letters == 2);
  CHECK(db.query("select key, value, header_names, header_values, reason, detail, event_id, "
                 "attempts from notify.dead_letters where \"offset\" = 8")
            .at(0)
        == std::vector<std::string>{R"(\x6b00ff)", "NULL", R"({"\\x61","\\xfe","\\x61"})",
                                    R"({"\\x007b225c",NULL,"\\x"})", "not_json", "at byte 3",
                                    "NULL", "1"});
  auto again = store.store(batch);
  REQUIRE(again);
  CHECK(again->dead_letters == 0);
  CHECK(db.value("select string_agg(attempts::text, ',') from notify.dead_letters") == "2,2");
  // The topic was made anew: another record at the same offset.
  batch.dead_letters.resize(1);
  batch.dead_letters[0].record.timestamp_ms += 1;
  auto other = store.store(batch);
  REQUIRE(other);
  CHECK(other->dead_letters == 1);
}

TEST_CASE("the ledger tells how far each partition got, rewinds and gaps included") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  auto move = [&](int64_t first, int64_t next) {
    ingest_batch batch;
    batch.moves = {{"t", 1, first, next, static_cast<uint64_t>(next - first)}};
    REQUIRE(store.store(batch));
  };
  ingest_batch split;
  split.moves = {{"t", 1, 5, 10, 5}, {"t", 0, 0, 1, 1}, {"t", 1, 0, 5, 5}};
  REQUIRE(store.store(split));
  move(10, 20);
  move(15, 25);
  move(30, 31);
  CHECK(db.query("select first_offset, next_offset, batch_records, total_records, rewinds, gaps, "
                 "instance from notify.partition_ledger where partition = 1")
            .at(0)
        == std::vector<std::string>{"30", "31", "1", "31", "1", "1", "test/ingest"});
}

TEST_CASE("Q-B12: when the first of two writers of an event rolls back, the second creates it") {
  postgres_fixture db;
  raw_connection first{db.url()};
  first.query("begin; insert into notify.inbox_events select '"
              + to_string(sample_event(1).event_id)
              + "', '', '', '', '', now(), now(), '', 0, 0, '', '{}', ''");
  caf::expected<ingest_report> report{ec::none};
  std::jthread second{[&] {
    pg_ingest_store store{db.config()};
    report = store.store(sample_batch(1));
  }};
  CHECK(eventually([&] {
    return db.value("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                    "datname = current_database() and application_name = 'test/ingest'")
           == "1";
  }));
  first.query("rollback");
  second.join();
  REQUIRE(report);
  CHECK(report->events == 1);
  CHECK(report->jobs == 1);
}

TEST_CASE("writers with the same events in opposite order neither deadlock nor double a job") {
  postgres_fixture db;
  auto forward = sample_batch(200, {"email", "telegram"});
  auto backward = forward;
  std::reverse(backward.events.begin(), backward.events.end());
  std::reverse(backward.jobs.begin(), backward.jobs.end());
  std::atomic<uint64_t> events{0}, duplicates{0}, jobs{0}, errors{0};
  auto run = [&](const ingest_batch& batch) {
    pg_ingest_store store{db.config()};
    for (int i = 0; i < 5; ++i) {
      auto report = store.store(batch);
      if (!report) {
        ++errors;
        continue;
      }
      events += report->events;
      duplicates += report->duplicates;
      jobs += report->jobs;
    }
  };
  {
    std::jthread a{[&] { run(forward); }};
    std::jthread b{[&] { run(backward); }};
    std::jthread c{[&] { run(forward); }};
  }
  CHECK(errors == 0);
  CHECK(events == 200);
  CHECK(events + duplicates == 15 * 200);
  CHECK(jobs == 400);
}

TEST_CASE("what the database cannot hold is refused as data, and nothing of the batch is stored") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  auto refused = [&](auto spoil) {
    auto batch = sample_batch(3);
    spoil(batch);
    auto report = store.store(batch);
    REQUIRE_FALSE(report);
    CHECK(report.error() == ec::storage_data);
    CHECK(render(report.error()).find("poison") == std::string::npos);
  };
  refused([](auto& x) { x.events[1].producer = std::string("poison\0", 7); });
  refused([](auto& x) { x.events[1].producer = "poison\xff"; });
  refused([](auto& x) { x.events[1].payload = "poison"; });
  refused([](auto& x) { x.events[1].payload = "{\"a\":\"\xed\xa0\x80\"}"; });
  refused([](auto& x) { x.events[1].payload_sha256 = "poison"; });
  refused([](auto& x) { x.events[1].occurred_at_us = std::numeric_limits<int64_t>::max(); });
  refused([](auto& x) { x.jobs[1].recipient = "poison\xc0"; });
  CHECK(db.value("select count(*) from notify.inbox_events") == "0");
  CHECK(store.store(sample_batch(3)));
}

TEST_CASE("times do not depend on the server's zone or on daylight saving") {
  postgres_fixture db;
  db.query("alter database " + db.name() + " set timezone = 'Europe/Berlin'");
  pg_ingest_store store{db.config()};
  auto batch = sample_batch(3);
  // Around the hour that Berlin lives through twice, 2026-10-25.
  batch.events[0].occurred_at_us = 1792890000000000;
  batch.events[1].occurred_at_us = 1792893600000000;
  batch.events[2].occurred_at_us = 1792893600000001;
  REQUIRE(store.store(batch));
  raw_connection fresh{db.url()};
  auto rows = fresh.query("select (extract(epoch from occurred_at) * 1000000)::bigint "
                          "from notify.inbox_events order by event_id");
  for (size_t i = 0; i < 3; ++i)
    CHECK(rows[i][0] == std::to_string(batch.events[i].occurred_at_us));
}

} // namespace
} // namespace notify
