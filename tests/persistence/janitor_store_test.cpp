#include "persistence/pg_operator_store.hpp"
#include "tests/persistence/janitor_fixture.hpp"

#include "persistence/pg_ingest_store.hpp"

namespace notify {
namespace {

using namespace test;

TEST_CASE_METHOD(janitor_fixture, "what ended long ago goes with its attempts and its event") {
  ingest(db, 3);
  finish(next_step::retry);
  make_due();
  for (int i = 0; i < 2; ++i)
    finish(next_step::sent);
  make_due();
  auto waiting = uuid::parse(db.value("select job_id from notify.job_queue"));
  REQUIRE(waiting);
  REQUIRE(pg_operator_store{db.config()}.cancel(cancel_notification{*waiting, "ada"}));
  age("29 days");
  CHECK(clean_all() == 0);
  ingest(db, 4);
  auto young = finish(next_step::sent);
  age("25 hours");
  CHECK(clean(retained::jobs) == 3);
  CHECK(events == 3);
  CHECK(status_of(db, young.job_id) == "sent");
  CHECK(count("notify.notification_jobs") == "1");
  CHECK(count("notify.inbox_events") == "1");
  CHECK(count("notify.delivery_attempts") == "1");
  CHECK(orphans() == "0");
}

TEST_CASE_METHOD(janitor_fixture, "dead jobs have a time of their own") {
  ingest(db, 2);
  finish(next_step::dead);
  finish(next_step::sent);
  age("89 days");
  CHECK(backlog(retained::jobs) == 1);
  CHECK(backlog(retained::dead_jobs) == 0);
  CHECK(clean_all() == 1);
  CHECK(events == 1);
  age("2 days");
  CHECK(backlog(retained::dead_jobs) == 1);
  CHECK(clean(retained::dead_jobs) == 1);
  CHECK(count("notify.notification_jobs") == "0");
  CHECK(count("notify.delivery_attempts") == "0");
  CHECK(count("notify.inbox_events") == "0");
}

TEST_CASE_METHOD(janitor_fixture, "an event goes with the last of its jobs, not before") {
  ingest(db, 1, {"email", "webhook"});
  finish(next_step::sent);
  age("31 days");
  CHECK(clean_all() == 1);
  CHECK(count("notify.inbox_events") == "1");
  auto job = claim(1, "webhook").front();
  record({sample_result(job, next_step::sent)}, {job.lease_id});
  CHECK(clean_all() == 0);
  age("31 days");
  CHECK(clean_all() == 1);
  CHECK(count("notify.inbox_events") == "0");
}

TEST_CASE_METHOD(janitor_fixture, "two jobs of one event that go together take it with them") {
  ingest(db, 1, {"email", "webhook"});
  for (auto channel : {"email", "webhook"}) {
    auto job = claim(1, channel).front();
    record({sample_result(job, next_step::sent)}, {job.lease_id});
  }
  age("31 days");
  CHECK(clean(retained::jobs) == 2);
  CHECK(events == 1);
  CHECK(count("notify.inbox_events") == "0");
}

TEST_CASE_METHOD(janitor_fixture, "events without jobs go after the dedup window") {
  pg_ingest_store ingests{db.config()};
  ingest_batch batch;
  for (uint64_t i = 1; i <= 7; ++i)
    batch.events.push_back(sample_event(i));
  REQUIRE(ingests.store(batch));
  age("29 days");
  CHECK(backlog(retained::events) == 0);
  CHECK(clean(retained::events) == 0);
  age("25 hours");
  CHECK(backlog(retained::events) == 7);
  // All of one transaction, so of one time: the sweep passes none of them by.
  CHECK(clean(retained::events) == 7);
  CHECK(count("notify.inbox_events") == "0");
}

TEST_CASE_METHOD(janitor_fixture,
                 "an event outlives its jobs if the window is longer than theirs") {
  times.jobs = 1h;
  pg_janitor_store hasty{db.config(), times};
  ingest(db, 1);
  finish(next_step::sent);
  age("2 hours");
  CHECK(clean_all(hasty) == 1);
  CHECK(count("notify.inbox_events") == "1");
  age("31 days");
  CHECK(clean_all(hasty) == 1);
  CHECK(count("notify.inbox_events") == "0");
}

TEST_CASE_METHOD(janitor_fixture, "zero keeps for ever") {
  times.jobs = times.dead_jobs = times.inbox = times.dead_letters = 0s;
  pg_janitor_store keeper{db.config(), times};
  ingest(db, 2);
  finish(next_step::sent);
  finish(next_step::dead);
  ingest_batch routeless;
  routeless.events.push_back(sample_event(9));
  REQUIRE(pg_ingest_store{db.config()}.store(routeless));
  db.query("insert into notify.dead_letters (topic, partition, \"offset\", timestamp_ms, "
           "header_names, header_values, reason, detail, published_at) "
           "values ('t', 0, 1, 1, '{}', '{}', 'r', 'd', now() - interval '50 years')");
  age("50 years");
  CHECK(clean_all(keeper) == 0);
  for (auto kind : retained_kinds)
    CHECK(*keeper.backlog(kind, {}, 100) == 0);
  // Jobs may go alone; their event stays, and stays known.
  times.jobs = 1h;
  pg_janitor_store of_jobs{db.config(), times};
  CHECK(clean_all(of_jobs) == 1);
  CHECK(events == 0);
  CHECK(count("notify.inbox_events") == "3");
}

TEST_CASE_METHOD(janitor_fixture, "dead letters go some time after they were published") {
  db.query("insert into notify.dead_letters (topic, partition, \"offset\", timestamp_ms, "
           "header_names, header_values, reason, detail, first_failed_at, published_at) "
           "select 't', 0, days, 1, '{}', '{}', 'r', 'd', now() - interval '1 year', "
           "now() - days * interval '1 day' from unnest(array[1, 89, 91, 92, 93, 94]) as days");
  CHECK(backlog(retained::dead_letters) == 4);
  CHECK(clean(retained::dead_letters) == 4);
  CHECK(db.query("select \"offset\" from notify.dead_letters order by 1")
        == postgres_fixture::rows{{"1"}, {"89"}});
}

TEST_CASE_METHOD(janitor_fixture, "suppressions go when they are over") {
  db.query("insert into notify.suppressions (channel, recipient, reason, job_id, suppressed_until) "
           "select 'email', 'r' || g, 'x', gen_random_uuid(), now() + g * interval '1 hour' "
           "from generate_series(-5, 5) g where g <> 0");
  CHECK(backlog(retained::suppressions) == 5);
  CHECK(clean(retained::suppressions) == 5);
  CHECK(count("notify.suppressions where suppressed_until > now()") == "5");
  CHECK(backlog(retained::suppressions) == 0);
}

TEST_CASE_METHOD(janitor_fixture, "acts on many notifications go some time after their end") {
  db.query(
      "insert into notify.operations (kind, filter, created_by, status, created_at, "
      "finished_at) select 'retry', '{}', 'ada', case when days < 0 then 'running' else 'done' "
      "end, now() - interval '1 year', case when days > 0 then now() - days * interval '1 day' "
      "end from unnest(array[-1, 1, 89, 91, 92]) as days");
  db.query("insert into notify.operation_skips select id, gen_random_uuid(), 'sent' "
           "from notify.operations, generate_series(1, 3)");
  CHECK(backlog(retained::operations) == 2);
  CHECK(clean(retained::operations) == 2);
  CHECK(db.value("select string_agg(status, ',' order by id) from notify.operations")
        == "running,done,done");
  CHECK(count("notify.operation_skips") == "9");
  CHECK(backlog(retained::operations) == 0);
}

} // namespace
} // namespace notify
