#include "persistence/pg_reaper_store.hpp"

#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

#include <thread>

namespace notify {
namespace {

using namespace test;

TEST_CASE_METHOD(store_fixture, "the jobs of an expired lease wait for their next attempt") {
  ingest(db, 3);
  auto jobs = claim(3);
  REQUIRE(results.record({sample_result(jobs[0], next_step::sent)}, {}));
  expire();
  auto report = reap();
  CHECK(report.leases == 1);
  CHECK(report.released == 2);
  CHECK(report.dead.empty());
  CHECK(status_of(db, jobs[0].job_id) == "sent");
  CHECK(status_of(db, jobs[1].job_id) == "retry_wait");
  CHECK(misplaced_jobs(db) == 0);
  CHECK(db.query("select attempt_no, result, budget, error_code, started_at < finished_at "
                 "from notify.delivery_attempts where job_id = '"
                 + to_string(jobs[1].job_id) + "'")
            .at(0)
        == std::vector<std::string>{"1", "abandoned", "reclaim", "lease_expired", "t"});
  auto again = claim(2);
  CHECK(again[0].attempt_no == 2);
  CHECK(again[0].reclaims == 1);
  CHECK(again[0].failures == 0);
}

TEST_CASE_METHOD(store_fixture, "a live lease and work that waits are left alone") {
  ingest(db, 2);
  claim(1);
  auto report = reap();
  CHECK(report.leases == 0);
  CHECK(report.released == 0);
  CHECK(db.value("select count(*) from notify.leases") == "1");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "after more reclaims than the cap a job is dead") {
  ingest(db, 1);
  uuid id;
  for (int i = 0; i < 3; ++i) {
    id = claim(1).front().job_id;
    expire();
    auto report = reap(10, 2);
    CHECK(report.released == (i < 2 ? 1u : 0u));
    CHECK(count_dead(report) == (i < 2 ? 0u : 1u));
  }
  CHECK(db.query("select status, dead_reason, reclaims, attempt_count, failures, "
                 "last_error_class from notify.notifications where id = '"
                 + to_string(id) + "'")
            .at(0)
        == std::vector<std::string>{"dead", "reclaim_limit", "3", "3", "0", "unknown_outcome"});
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "the limit counts leases, the oldest first") {
  ingest(db, 3);
  auto oldest = claim(1);
  claim(1);
  claim(1);
  expire();
  CHECK(reap(1).leases == 1);
  CHECK(status_of(db, oldest[0].job_id) == "retry_wait");
  CHECK(reap(10).leases == 2);
  CHECK(reap(10).leases == 0);
}

TEST_CASE_METHOD(store_fixture, "a lease that a result writer holds is skipped, not waited for") {
  ingest(db, 2);
  auto held = claim(1);
  claim(1);
  expire();
  raw_connection writer{db.url()};
  writer.query("begin; select 1 from notify.leases where id = " + std::to_string(held[0].lease_id)
               + " for update");
  CHECK(reap().leases == 1);
  writer.query("rollback");
  CHECK(reap().leases == 1);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "a result that commits during the reaping wins") {
  ingest(db, 1);
  auto job = claim(1).front();
  expire();
  raw_connection writer{db.url()};
  // The reaper's snapshot does not show this row; its insert meets it.
  writer.query("begin; insert into notify.delivery_attempts (job_id, attempt_no, result, "
               "started_at, finished_at) values ('"
               + to_string(job.job_id) + "', 1, 'sent', now(), now()); "
               + "update notify.notification_jobs set status = 'sent', finished_at = now(), "
                 "attempt_count = 1");
  reap_report report;
  std::jthread thread{[&] { report = reap(); }};
  CHECK(blocked(db, "reaper"));
  writer.query("commit");
  thread.join();
  CHECK(report.leases == 1);
  CHECK(report.released == 0);
  CHECK(db.value("select count(*) from notify.delivery_attempts where result = 'sent'") == "1");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "a job that is terminal already stays as it is") {
  ingest(db, 1);
  auto job = claim(1).front();
  db.query("update notify.notification_jobs set status = 'cancelled', finished_at = now()");
  expire();
  auto report = reap();
  CHECK(report.leases == 1);
  CHECK(report.released == 0);
  CHECK(status_of(db, job.job_id) == "cancelled");
  CHECK(overtaken_jobs(db) == 0);
  CHECK(misplaced_jobs(db) == 0);
}

} // namespace
} // namespace notify
