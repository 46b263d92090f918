#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "tests/persistence/samples.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

struct release_fixture {
  release_fixture() {
    ingest(db, 3);
    jobs = *claims.claim("email", 3, 60s);
  }

  uint64_t release(const std::vector<delivery_job>& some) {
    std::vector<attempt_ref> refs;
    for (auto& x : some)
      refs.push_back(ref_of(x));
    auto count = claims.release(refs);
    REQUIRE(count);
    return *count;
  }

  std::string leases() { return db.value("select count(*) from notify.leases"); }

  postgres_fixture db;
  pg_claim_store claims{db.config(), uuid::random()};
  pg_result_store results{db.config()};
  std::vector<delivery_job> jobs;
};

TEST_CASE_METHOD(release_fixture, "released jobs wait under the same attempt number, at no cost") {
  CHECK(release({jobs[2], jobs[0], jobs[0]}) == 2);
  CHECK(misplaced_jobs(db) == 0);
  CHECK(status_of(db, jobs[0].job_id) == "pending");
  CHECK(status_of(db, jobs[1].job_id) == "processing");
  CHECK(db.query("select interruptions, failures, reclaims, attempt_count "
                 "from notify.notification_jobs where id = '"
                 + to_string(jobs[0].job_id) + "'")
            .at(0)
        == std::vector<std::string>{"1", "0", "0", "0"});
  CHECK(leases() == "1");
  CHECK(release({jobs[1]}) == 1);
  CHECK(leases() == "0");
  auto again = claims.claim("email", 10, 60s);
  REQUIRE(again);
  CHECK(again->size() == 3);
  CHECK(again->at(0).attempt_no == 1);
}

TEST_CASE_METHOD(release_fixture,
                 "releasing the rest of a lease whose other jobs are done ends it") {
  REQUIRE(results.record({sample_result(jobs[0], next_step::sent)}, {}));
  CHECK(release({jobs[1], jobs[2]}) == 2);
  CHECK(leases() == "0");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(release_fixture, "a job with an attempt row is left alone") {
  REQUIRE(results.record(
      {sample_result(jobs[0], next_step::retry), sample_result(jobs[1], next_step::sent)}, {}));
  CHECK(release(jobs) == 1);
  CHECK(status_of(db, jobs[0].job_id) == "retry_wait");
  CHECK(status_of(db, jobs[1].job_id) == "sent");
  CHECK(status_of(db, jobs[2].job_id) == "pending");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(release_fixture, "a job whose lease is gone is left alone") {
  db.query("update notify.leases set lease_until = now() - interval '1 second'");
  pg_reaper_store reaper{db.config()};
  REQUIRE(reaper.reap(10, 5));
  CHECK(release(jobs) == 0);
  CHECK(misplaced_jobs(db) == 0);
  auto next = claims.claim("email", 3, 60s);
  REQUIRE(next);
  CHECK(release(jobs) == 0);
  CHECK(next->at(0).attempt_no == 2);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(release_fixture, "another owner's lease cannot be released") {
  pg_claim_store other{db.config(), uuid::random()};
  auto count = other.release({ref_of(jobs[0])});
  REQUIRE(count);
  CHECK(*count == 0);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(release_fixture, "a job that became terminal meanwhile leaves the lease only") {
  db.query("update notify.notification_jobs set status = 'sent', finished_at = now() where id = '"
           + to_string(jobs[0].job_id) + "'");
  CHECK(release(jobs) == 2);
  CHECK(leases() == "0");
  CHECK(status_of(db, jobs[0].job_id) == "sent");
  CHECK(misplaced_jobs(db) == 0);
  CHECK(overtaken_jobs(db) == 0);
}

TEST_CASE_METHOD(release_fixture,
                 "a job given back by mistake while it was being sent is not sent again once its "
                 "result is known") {
  CHECK(release({jobs[0], jobs[1]}) == 2);
  auto applied = results.record(
      {sample_result(jobs[0], next_step::retry), sample_result(jobs[1], next_step::sent)}, {});
  REQUIRE(applied);
  CHECK(*applied == std::vector<bool>{true, true});
  auto next = claims.claim("email", 10, 60s);
  REQUIRE(next);
  REQUIRE(next->size() == 1);
  CHECK(next->front().job_id == jobs[0].job_id);
  CHECK(next->front().attempt_no == 2);
  CHECK(status_of(db, jobs[1].job_id) == "sent");
  CHECK(misplaced_jobs(db) == 0);
}

} // namespace
} // namespace notify
