#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_operator_store.hpp"
#include "tests/persistence/janitor_fixture.hpp"

#include <atomic>
#include <thread>

namespace notify {
namespace {

using namespace test;

struct janitor_faults : janitor_fixture {
  ingest_report store_again(uint64_t number) {
    auto report = pg_ingest_store{db.config()}.store(sample_batch(number));
    if (!report)
      FAIL(render(report.error()));
    return *report;
  }
};

TEST_CASE_METHOD(janitor_faults,
                 "D-G11: nothing that is still to be done is deleted, however old") {
  ingest(db, 5);
  auto processing = claim(1).front();
  auto tried = finish(next_step::retry);
  db.query("insert into notify.dead_letters (topic, partition, \"offset\", timestamp_ms, "
           "header_names, header_values, reason, detail, first_failed_at, last_failed_at) values "
           "('t', 0, 1, 1, '{}', '{}', 'r', 'd', now() - interval '9 years', "
           "now() - interval '9 years')");
  age("9 years");
  for (auto kind : retained_kinds) {
    CHECK(backlog(kind) == 0);
    CHECK(clean(kind) == 0);
  }
  CHECK(status_of(db, processing.job_id) == "processing");
  CHECK(status_of(db, tried.job_id) == "retry_wait");
  CHECK(count("notify.notifications where status = 'pending'") == "3");
  CHECK(count("notify.inbox_events") == "5");
  CHECK(count("notify.delivery_attempts") == "1");
  CHECK(count("notify.dead_letters") == "1");
  CHECK(misplaced_jobs(db) == 0);
  // All of it can still be done.
  record({sample_result(processing, next_step::sent)}, {processing.lease_id});
  make_due();
  CHECK(claim(4).front().payload.size() > 2);
}

TEST_CASE_METHOD(janitor_faults,
                 "D-G11: a job that is over but in flight stays until that is over") {
  ingest(db, 1);
  auto first = claim(1).front();
  expire();
  reap();
  auto second = claim(1).front();
  REQUIRE(results.record_late_success(sample_result(first, next_step::sent)));
  CHECK(status_of(db, first.job_id) == "sent");
  age("31 days");
  CHECK(clean_all() == 0);
  record({sample_result(second, next_step::sent)}, {second.lease_id});
  CHECK(clean_all() == 1);
  CHECK(orphans() == "0");
}

TEST_CASE_METHOD(janitor_faults,
                 "D-G11: a job whose lease has an entry of it stays, recorded or not") {
  ingest(db, 2);
  auto jobs = claim(2);
  // The other job keeps the lease alive. Its end looks at every entry.
  record({sample_result(jobs[0], next_step::sent)});
  age("31 days");
  CHECK(clean_all() == 0);
  expire();
  reap();
  CHECK(clean_all() == 1);
  CHECK(count("notify.delivery_attempts") == "1");
  CHECK(orphans() == "0");
}

TEST_CASE_METHOD(janitor_faults,
                 "D-G11: a job that is in the queue stays, whatever its status says") {
  ingest(db, 1);
  auto job = finish(next_step::sent);
  db.query("insert into notify.job_queue (job_id, due_at, attempt_no, channel) values ('"
           + to_string(job.job_id) + "', now(), 2, 'email')");
  age("31 days");
  CHECK(clean_all() == 0);
  db.query("delete from notify.job_queue");
  CHECK(clean_all() == 1);
}

TEST_CASE_METHOD(janitor_faults,
                 "D-G11: a dead job that an operator retries in this moment stays") {
  ingest(db, 2);
  auto retried = finish(next_step::dead);
  auto left = finish(next_step::dead);
  age("100 days");
  raw_connection person{db.url()};
  person.query("begin; select from notify.notification_jobs where id = '"
               + to_string(retried.job_id) + "' for update");
  // It does not wait for the operator either.
  CHECK(clean_all() == 1);
  person.query("rollback");
  pg_operator_store people{db.config()};
  CHECK_FALSE(people.retry({left.job_id, false, "ada"}));
  CHECK(people.retry({retried.job_id, false, "ada"}));
  CHECK(clean_all() == 0);
  CHECK(status_of(db, retried.job_id) == "retry_wait");
}

TEST_CASE_METHOD(janitor_faults,
                 "Q-B25: a history of years goes in small steps, each of them shows") {
  constexpr uint32_t finished = 100'000;
  constexpr uint32_t waiting = 1'000;
  constexpr uint32_t limit = 5'000;
  seed(finished, waiting);
  auto config = db.config();
  config.statement_timeout = 5s;
  pg_janitor_store patient{config, times};
  uint64_t left = backlog(retained::jobs);
  REQUIRE(left == finished);
  sweep_position position;
  while (left > 0) {
    auto batch = clean_batch(patient, retained::jobs, position, limit);
    CHECK(batch.looked_at <= limit);
    CHECK(batch.deleted == batch.events);
    position = batch.last;
    auto rest = patient.backlog(retained::jobs, position, finished);
    REQUIRE(rest);
    REQUIRE(*rest < left);
    CHECK(left - *rest == batch.deleted);
    left = *rest;
  }
  CHECK(count("notify.notification_jobs where status <> 'open'") == "0");
  CHECK(count("notify.delivery_attempts") == "0");
  for (auto table : {"notification_jobs", "job_queue", "inbox_events"})
    CHECK(count(std::string{"notify."} + table) == std::to_string(waiting));
  CHECK(misplaced_jobs(db) == 0);
  CHECK(claim(500).size() == 500);
}

TEST_CASE_METHOD(janitor_faults,
                 "K-3: a copy within the window is known, whatever became of its jobs") {
  times.jobs = times.dead_jobs = 1h;
  // Less than the topic keeps: the longer time counts.
  times.inbox = 1h;
  times.topic = 168h;
  pg_janitor_store hasty{db.config(), times};
  ingest(db, 4);
  finish(next_step::sent);
  finish(next_step::dead);
  finish(next_step::retry);
  auto unchanged = [&](uint64_t jobs) {
    auto report = store_again(4);
    CHECK(report.duplicates == 4);
    CHECK(report.jobs == 0);
    CHECK(count("notify.inbox_events") == "4");
    CHECK(count("notify.notification_jobs") == std::to_string(jobs));
  };
  unchanged(4);
  age("191 hours");
  CHECK(clean_all(hasty) == 2);
  unchanged(2);
  CHECK(clean_all(hasty) == 0);
  // Beyond the window: two ids are forgotten, those of open jobs never are.
  age("2 hours");
  CHECK(clean_all(hasty) == 2);
  CHECK(count("notify.inbox_events") == "2");
  auto report = store_again(4);
  CHECK(report.duplicates == 2);
  CHECK(report.jobs == 2);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(janitor_faults,
                 "K-3: copies that meet the cleaning of their ids are stored once") {
  constexpr uint64_t ids = 200;
  ingest(db, ids);
  db.query("delete from notify.job_queue; delete from notify.notification_jobs");
  age("31 days");
  std::atomic<bool> is_clean = false;
  std::jthread cleaner{[&] {
    pg_janitor_store own{db.config(), times};
    for (;;) {
      auto batch = own.clean(retained::events, {}, 10);
      if (!batch || batch->looked_at == 0)
        break;
    }
    is_clean = true;
  }};
  uint64_t fresh = 0;
  while (!is_clean)
    fresh += store_again(ids).events;
  fresh += store_again(ids).events;
  CHECK(fresh == ids);
  for (auto table : {"notification_jobs", "job_queue", "inbox_events"})
    CHECK(count(std::string{"notify."} + table) == std::to_string(ids));
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(janitor_faults, "two janitors at once delete each row once") {
  constexpr uint32_t rows = 20'000;
  seed(rows, 100);
  struct tally {
    uint64_t jobs = 0;
    uint64_t events = 0;
    std::string error;
  };
  auto work = [&](tally& sum) {
    pg_janitor_store own{db.config(), times};
    sweep_position position;
    for (;;) {
      auto batch = own.clean(retained::jobs, position, 300);
      if (!batch) {
        sum.error = render(batch.error());
        return;
      }
      if (!batch->is_ours)
        continue;
      sum.jobs += batch->deleted;
      sum.events += batch->events;
      position = batch->last;
      if (batch->looked_at < 300)
        return;
    }
  };
  tally mine, yours;
  std::jthread other{[&] { work(yours); }};
  work(mine);
  other.join();
  CHECK(mine.error + yours.error == "");
  CHECK(mine.jobs + yours.jobs == rows);
  CHECK(mine.events + yours.events == rows);
  CHECK(count("notify.delivery_attempts") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(janitor_faults, "while one process cleans, another looks at nothing") {
  seed(10, 0);
  raw_connection holder{db.url()};
  holder.query("begin; select pg_advisory_xact_lock(" + std::to_string(janitor_lock) + ")");
  auto batch = clean_batch(janitor, retained::jobs, {}, 100);
  CHECK_FALSE(batch.is_ours);
  CHECK(batch.deleted == 0);
  CHECK(batch.last == sweep_position{});
  CHECK(count("notify.notification_jobs") == "10");
  holder.query("rollback");
  CHECK(clean_all() == 10);
}

TEST_CASE_METHOD(janitor_faults,
                 "an outage in the middle leaves whole batches, done or not begun") {
  seed(100, 0);
  auto first = clean_batch(janitor, retained::jobs, {}, 40);
  CHECK(first.deleted == 40);
  raw_connection blocker{db.url()};
  blocker.query("begin; lock table notify.delivery_attempts");
  caf::expected<cleaned_batch> second{ec::none};
  std::jthread cleaner{[&] { second = janitor.clean(retained::jobs, first.last, 40); }};
  REQUIRE(blocked(db, "janitor"));
  REQUIRE(db.terminate("janitor") == 1);
  cleaner.join();
  REQUIRE_FALSE(second);
  CHECK(second.error() == ec::storage_unavailable);
  blocker.query("rollback");
  for (auto table : {"notification_jobs", "delivery_attempts", "inbox_events"})
    CHECK(count(std::string{"notify."} + table) == "60");
  CHECK(clean_batch(janitor, retained::jobs, first.last, 40).deleted == 40);
  CHECK(clean_all() == 20);
}

} // namespace
} // namespace notify
