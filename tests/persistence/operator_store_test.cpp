#include "messages/error.hpp"
#include "persistence/pg_operator_store.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

namespace notify {
namespace {

using namespace test;

enum class operator_verdict : uint8_t { done, not_found, wrong_status };

operator_verdict verdict(const caf::expected<notification_acted>& x) {
  if (x)
    return operator_verdict::done;
  INFO(render(x.error()));
  REQUIRE((x.error() == ec::not_found || x.error() == ec::wrong_state));
  return x.error() == ec::not_found ? operator_verdict::not_found : operator_verdict::wrong_status;
}

struct operator_fixture : store_fixture {
  /// One job that is dead after `attempts` attempts.
  delivery_job dead_job(int attempts = 1) {
    ingest(db, 1);
    for (int i = 1;; ++i) {
      auto job = claim(1).at(0);
      auto x = sample_result(job, i < attempts ? next_step::retry : next_step::dead);
      x.delay = 0s;
      record({x}, {job.lease_id});
      if (i == attempts)
        return job;
    }
  }

  operator_verdict retry(const uuid& id, bool fresh_key = false) {
    return verdict(people.retry({id, fresh_key, "ada"}));
  }

  operator_verdict cancel(const uuid& id) {
    return verdict(people.cancel(cancel_notification{id, "ada"}));
  }

  pg_operator_store people{db.config()};
};

TEST_CASE_METHOD(operator_fixture, "D-A7: a retry by an operator is sent again, as the same job") {
  auto dead = dead_job(3);
  CHECK(retry(dead.job_id) == operator_verdict::done);
  CHECK(status_of(db, dead.job_id) == "retry_wait");
  auto again = claim(1).at(0);
  CHECK(again.job_id == dead.job_id);
  CHECK(again.attempt_no == 4);
  CHECK(again.failures == 0);
  CHECK(idempotency_key(again) == to_string(dead.job_id));
  record({sample_result(again, next_step::sent)}, {again.lease_id});
  CHECK(job_row(dead.job_id, "status, redrives, attempt_count") == strings{"sent", "1", "4"});
  CHECK(count("notify.delivery_attempts") == "4");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(operator_fixture,
                 "D-A7: a retry under a fresh key gets past a provider's memory") {
  auto dead = dead_job();
  CHECK(retry(dead.job_id, true) == operator_verdict::done);
  auto again = claim(1).at(0);
  CHECK(idempotency_key(again) == to_string(dead.job_id) + "-r1");
  // The key stays with the job over its attempts, and with a further retry.
  auto x = sample_result(again, next_step::dead);
  x.idempotency_key = idempotency_key(again);
  record({x}, {again.lease_id});
  CHECK(attempt_row(dead.job_id, "idempotency_key") == strings{to_string(dead.job_id) + "-r1"});
  CHECK(retry(dead.job_id) == operator_verdict::done);
  CHECK(idempotency_key(claim(1).at(0)) == to_string(dead.job_id) + "-r1");
}

TEST_CASE_METHOD(operator_fixture,
                 "a retried job has all its budgets again and its past behind it") {
  ingest(db, 1);
  auto job = claim(1).at(0);
  auto lost = sample_result(job, next_step::dead);
  lost.result = "unknown_outcome";
  lost.dead_reason = "unknown_outcome";
  lost.answer.suppress_recipient = true;
  record({lost}, {job.lease_id});
  CHECK(retry(job.job_id) == operator_verdict::done);
  CHECK(job_row(job.job_id, "failures, reclaims, unknowns, dead_reason is null, "
                            "first_unknown_at is null, finished_at is null")
        == strings{"0", "0", "0", "t", "t", "t"});
  auto again = claim(1).at(0);
  CHECK(again.suppressed.empty());
  CHECK(again.unknowns == 0);
  CHECK(again.frozen_hash.empty());
}

TEST_CASE_METHOD(operator_fixture, "only dead jobs are retried, and only once each") {
  CHECK(retry(uuid::random()) == operator_verdict::not_found);
  ingest(db, 1);
  auto id = sample_job(sample_event(1)).id;
  CHECK(retry(id) == operator_verdict::wrong_status);
  auto job = claim(1).at(0);
  CHECK(retry(id) == operator_verdict::wrong_status);
  record({sample_result(job, next_step::dead)}, {job.lease_id});
  CHECK(retry(id) == operator_verdict::done);
  CHECK(retry(id) == operator_verdict::wrong_status);
  CHECK(job_row(id, "redrives") == strings{"1"});
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(operator_fixture, "a number that a late attempt took is not given again") {
  auto dead = dead_job();
  db.query("insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, "
           "finished_at) values ('"
           + to_string(dead.job_id) + "', 2, 'permanent_provider_error', now(), now())");
  CHECK(retry(dead.job_id) == operator_verdict::done);
  CHECK(claim(1).at(0).attempt_no == 3);
}

TEST_CASE_METHOD(operator_fixture, "jobs that wait can be cancelled, others not") {
  CHECK(cancel(uuid::random()) == operator_verdict::not_found);
  ingest(db, 1);
  auto id = sample_job(sample_event(1)).id;
  auto job = claim(1).at(0);
  CHECK(cancel(id) == operator_verdict::wrong_status);
  record({sample_result(job, next_step::retry)}, {job.lease_id});
  CHECK(status_of(db, id) == "retry_wait");
  CHECK(cancel(id) == operator_verdict::done);
  CHECK(status_of(db, id) == "cancelled");
  CHECK(cancel(id) == operator_verdict::wrong_status);
  CHECK(retry(id) == operator_verdict::wrong_status);
  make_due();
  claim(0);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(operator_fixture, "a job is either cancelled or sent, whoever comes first") {
  constexpr uint32_t jobs = 300;
  ingest(db, jobs);
  std::atomic<bool> is_over = false;
  std::thread worker{[&] {
    pg_claim_store own_claims{db.config(), uuid::random()};
    pg_result_store own_results{db.config()};
    while (!is_over) {
      auto some = own_claims.claim("email", 7, 60s);
      if (!some || some->empty())
        continue;
      std::vector<attempt_result> sent;
      for (const auto& x : *some)
        sent.push_back(sample_result(x, next_step::sent));
      own_results.record(sent, {some->front().lease_id});
    }
  }};
  uint32_t cancelled = 0;
  for (uint32_t i = jobs; i > 0; --i)
    cancelled += people.cancel(cancel_notification{sample_job(sample_event(i)).id, "ada"}) ? 1 : 0;
  while (count("notify.notification_jobs where status = 'open'") != "0") {
  }
  is_over = true;
  worker.join();
  CHECK(count("notify.notification_jobs where status = 'cancelled'") == std::to_string(cancelled));
  CHECK(count("notify.delivery_attempts") == std::to_string(jobs - cancelled));
  CHECK(misplaced_jobs(db) == 0);
}

} // namespace
} // namespace notify
