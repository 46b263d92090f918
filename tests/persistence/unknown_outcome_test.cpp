#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

attempt_result unknown(const delivery_job& job, const std::string& hash) {
  auto x = sample_result(job, next_step::retry);
  x.result = "unknown_outcome";
  x.content_hash = hash;
  return x;
}

// As the dispatcher reports a worker that ended with a job in hand.
attempt_result crashed(const delivery_job& job) {
  auto x = sample_result(job, next_step::retry);
  x.result = "abandoned";
  x.answer.reason = "worker_crashed";
  x.counts_as_failure = false;
  x.counts_as_reclaim = true;
  return x;
}

struct unknown_fixture : store_fixture {
  unknown_fixture() { ingest(db, 1); }

  delivery_job claim_one() {
    make_due();
    return claim(1).front();
  }
};

TEST_CASE_METHOD(unknown_fixture,
                 "a job knows how often and since when it may have been accepted") {
  auto first = claim_one();
  CHECK(first.unknowns == 0);
  CHECK(first.first_unknown_age == 0s);
  CHECK(first.frozen_hash.empty());
  auto x = unknown(first, "hash of the first");
  x.started_ago = 10min;
  record({x}, {first.lease_id});
  auto second = claim_one();
  CHECK(second.unknowns == 1);
  CHECK(second.first_unknown_age >= 10min);
  CHECK(second.first_unknown_age < 20min);
  CHECK(second.frozen_hash == "hash of the first");
  record({unknown(second, "hash of the second")}, {second.lease_id});
  auto third = claim_one();
  CHECK(third.unknowns == 2);
  CHECK(third.first_unknown_age >= 10min);
  CHECK(third.frozen_hash == "hash of the first");
  CHECK(db.value("select n.first_unknown_at = a.started_at from notify.notifications n "
                 "join notify.delivery_attempts a on a.job_id = n.id where a.attempt_no = 1")
        == "t");
}

TEST_CASE_METHOD(unknown_fixture,
                 "a server error over HTTP may have been an acceptance, one of SMTP not") {
  auto first = claim_one();
  auto failed = sample_result(first, next_step::retry);
  failed.result = "retryable_provider_error";
  failed.answer.provider_status = 504;
  failed.answer.phase = send_phase::ehlo;
  record({failed}, {first.lease_id});
  auto second = claim_one();
  CHECK(second.unknowns == 0);
  failed.attempt = ref_of(second);
  failed.answer.phase = send_phase::read_reply;
  failed.content_hash = "hash";
  record({failed}, {second.lease_id});
  auto third = claim_one();
  CHECK(third.unknowns == 1);
  CHECK(third.frozen_hash == "hash");
  failed.attempt = ref_of(third);
  failed.answer.provider_status = 0;
  record({failed}, {third.lease_id});
  CHECK(claim_one().unknowns == 1);
}

TEST_CASE_METHOD(unknown_fixture, "other outcomes leave what is known of the unknown ones") {
  auto first = claim_one();
  auto refused = sample_result(first, next_step::retry);
  refused.content_hash = "not sent";
  record({refused}, {first.lease_id});
  CHECK(job_row(first.job_id, "unknowns, first_unknown_at") == strings{"0", "NULL"});
  auto second = claim_one();
  record({unknown(second, "sent, perhaps")}, {second.lease_id});
  auto since = job_row(first.job_id, "first_unknown_at");
  auto third = claim_one();
  record({sample_result(third, next_step::sent)}, {third.lease_id});
  CHECK(job_row(first.job_id, "status, unknowns") == strings{"sent", "1"});
  CHECK(job_row(first.job_id, "first_unknown_at") == since);
}

TEST_CASE_METHOD(unknown_fixture, "a crashed worker's attempt may have been accepted, nobody knows "
                                  "what it sent") {
  auto first = claim_one();
  record({crashed(first)}, {first.lease_id});
  auto second = claim_one();
  CHECK(second.unknowns == 1);
  CHECK(second.frozen_hash.empty());
  CHECK(second.reclaims == 1);
  // The first one's hash stays unknown: what a later one sent says nothing about it.
  record({unknown(second, "hash of the second")}, {second.lease_id});
  auto third = claim_one();
  CHECK(third.unknowns == 2);
  CHECK(third.frozen_hash.empty());
}

TEST_CASE_METHOD(unknown_fixture, "an attempt whose lease expired may have been accepted, at any "
                                  "time since the claim") {
  auto first = claim_one();
  db.query("update notify.leases set claimed_at = now() - interval '10 minutes', "
           "lease_until = now() - interval '1 second'");
  REQUIRE(reap().released == 1);
  auto second = claim_one();
  CHECK(second.unknowns == 1);
  CHECK(second.first_unknown_age >= 10min);
  CHECK(second.first_unknown_age < 20min);
  CHECK(second.frozen_hash.empty());
  expire();
  REQUIRE(reap().released == 1);
  CHECK(job_row(first.job_id, "unknowns, first_unknown_at < now() - interval '9 minutes'")
        == strings{"2", "t"});
}

TEST_CASE_METHOD(unknown_fixture, "the last attempt of a job that is parked counts as well") {
  auto job = claim_one();
  auto x = unknown(job, "hash");
  x.next = next_step::dead;
  x.dead_reason = "unknown_outcome";
  record({x}, {job.lease_id});
  CHECK(job_row(job.job_id, "status, dead_reason, unknowns, first_unknown_at is not null")
        == strings{"dead", "unknown_outcome", "1", "t"});
}

TEST_CASE_METHOD(unknown_fixture, "a late success is noted on a job that was parked meanwhile, "
                                  "which stays dead") {
  auto first = claim_one();
  expire();
  REQUIRE(reap().released == 1);
  auto second = claim_one();
  auto x = unknown(second, "hash");
  x.next = next_step::dead;
  x.dead_reason = "unknown_outcome";
  record({x}, {second.lease_id});
  auto changed = results.record_late_success(sample_result(first, next_step::sent));
  REQUIRE(changed);
  CHECK_FALSE(*changed);
  CHECK(job_row(first.job_id, "status, dead_reason, attempt_count")
        == strings{"dead", "unknown_outcome", "2"});
  CHECK(db.query("select attempt_no, result, late_result from notify.delivery_attempts order by 1")
        == postgres_fixture::rows{{"1", "abandoned", "sent"}, {"2", "unknown_outcome", "NULL"}});
  CHECK(count("notify.job_queue") == "0");
}

TEST_CASE_METHOD(unknown_fixture, "a clock that was set back makes no negative age") {
  auto first = claim_one();
  record({unknown(first, "hash")}, {first.lease_id});
  db.query("update notify.notification_jobs set first_unknown_at = now() + interval '1 hour'");
  CHECK(claim_one().first_unknown_age == 0s);
}

} // namespace
} // namespace notify
