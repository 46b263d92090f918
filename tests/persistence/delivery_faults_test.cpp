#include "persistence/pg_ingest_store.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

namespace notify {
namespace {

using namespace test;

TEST_CASE_METHOD(store_fixture, "D-A2: the jobs of a lease that ended days ago are tried again or "
                                "dead, never deleted") {
  ingest(db, 5);
  auto age = [&] {
    db.query("update notify.leases set claimed_at = now() - interval '3 days', "
             "lease_until = now() - interval '2 days'");
  };
  claim(5); // The process was killed in the middle of its sends.
  age();
  auto report = reap(10, 1);
  CHECK(report.released == 5);
  CHECK(report.dead.empty());
  CHECK(count("notify.notifications where status = 'retry_wait' and due_at <= now()") == "5");
  CHECK(count("notify.delivery_attempts where result = 'abandoned' and attempt_no = 1") == "5");
  claim(5);
  age();
  report = reap(10, 1);
  CHECK(report.released == 0);
  CHECK(report.dead == std::map<std::string, uint64_t>{{"email", 5}});
  CHECK(count("notify.notifications where status = 'dead' and dead_reason = 'reclaim_limit'")
        == "5");
  CHECK(count("notify.notification_jobs") == "5");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "D-A3: 32 workers share ten thousand jobs, and each is sent once") {
  constexpr uint64_t job_count = 10000;
  constexpr int worker_count = 32;
  ingest(db, job_count);
  std::mutex mutex;
  std::map<uuid, int> sends;
  std::vector<std::string> errors;
  auto work = [&] {
    pg_claim_store own_claims{db.config(), uuid::random()};
    pg_result_store own_results{db.config()};
    for (;;) {
      auto jobs = own_claims.claim("email", 25, 60s);
      std::vector<attempt_result> batch;
      if (jobs)
        for (const auto& job : *jobs)
          batch.push_back(sample_result(job, next_step::sent));
      std::unique_lock lock{mutex};
      if (!jobs)
        errors.push_back(to_string(jobs.error()));
      for (const auto& x : batch)
        ++sends[x.attempt.job_id];
      lock.unlock();
      if (batch.empty())
        return;
      if (auto applied = own_results.record(batch, {batch.front().attempt.lease_id}); !applied) {
        lock.lock();
        errors.push_back(to_string(applied.error()));
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < worker_count; ++i)
      workers.emplace_back(work);
  }
  CHECK(errors == std::vector<std::string>{});
  CHECK(sends.size() == job_count);
  CHECK(std::all_of(sends.begin(), sends.end(), [](const auto& x) { return x.second == 1; }));
  CHECK(count("notify.notification_jobs where status = 'sent' and attempt_count = 1")
        == std::to_string(job_count));
  CHECK(count("notify.delivery_attempts") == std::to_string(job_count));
  CHECK(count("notify.leases") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "D-A5: a claim is no progress: what a dead process had not sent is "
                                "sent by the next one") {
  ingest(db, 20);
  {
    // Killed after its claim, before its first send.
    pg_claim_store victim{db.config(), uuid::random()};
    auto jobs = victim.claim("email", 10, 60s);
    REQUIRE(jobs);
    REQUIRE(jobs->size() == 10);
  }
  CHECK(count("notify.notifications where status = 'processing' and attempt_count = 0") == "10");
  CHECK(count("notify.delivery_attempts") == "0");
  expire();
  CHECK(reap().released == 10);
  std::vector<attempt_result> batch;
  for (const auto& job : claim(20))
    batch.push_back(sample_result(job, next_step::sent));
  record(batch, {batch.front().attempt.lease_id});
  CHECK(count("notify.notifications where status = 'sent'") == "20");
  CHECK(count("notify.delivery_attempts where result = 'sent'") == "20");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture,
                 "D-A8: each channel of an event fails and is tried again on its own") {
  const std::vector<std::string> channels = {"email", "telegram", "webhook"};
  ingest(db, 1, channels);
  for (int32_t attempt = 1; attempt <= 2; ++attempt) {
    for (const auto& channel : channels) {
      auto job = claim(1, channel).front();
      CHECK(job.attempt_no == attempt);
      CHECK(job.failures == attempt - 1);
      auto next = attempt == 1 ? next_step::retry : next_step::sent;
      record({sample_result(job, next)}, {job.lease_id});
    }
    CHECK(misplaced_jobs(db) == 0);
  }
  CHECK(db.query("select channel, status, attempt_count, failures from notify.notifications "
                 "order by channel")
        == postgres_fixture::rows{{"email", "sent", "2", "1"},
                                  {"telegram", "sent", "2", "1"},
                                  {"webhook", "sent", "2", "1"}});
  CHECK(count("notify.delivery_attempts") == "6");
}

TEST_CASE_METHOD(store_fixture,
                 "P-14: a channel that had success is not sent again because another "
                 "one fails") {
  ingest(db, 1, {"email", "webhook"});
  auto mail = claim(1, "email").front();
  record({sample_result(mail, next_step::sent)}, {mail.lease_id});
  for (int i = 0; i < 4; ++i) {
    auto hook = claim(1, "webhook").front();
    record({sample_result(hook, next_step::retry)}, {hook.lease_id});
    // The event comes once more meanwhile.
    ingest(db, 1, {"email", "webhook"});
    make_due();
    auto none = claims.claim("email", 10, 60s);
    REQUIRE(none);
    CHECK(none->empty());
  }
  CHECK(job_row(mail.job_id, "status, attempt_count") == strings{"sent", "1"});
  CHECK(count("notify.delivery_attempts where job_id = '" + to_string(mail.job_id) + "'") == "1");
  CHECK(count("notify.delivery_attempts") == "5");
}

TEST_CASE_METHOD(store_fixture, "D-C5: attempt numbers rise by one, whatever ends an attempt, and "
                                "the next one is due by the schedule") {
  ingest(db, 1);
  const std::vector<caf::timespan> delays = {5s, 30s, 2min, 10min, 30min};
  int32_t expected = 1;
  for (auto delay : delays) {
    auto job = claim(1).front();
    CHECK(job.attempt_no == expected++);
    auto x = sample_result(job, next_step::retry);
    x.delay = delay;
    record({x}, {job.lease_id});
    CHECK(db.value("select (extract(epoch from q.due_at - a.finished_at) * 1000000)::bigint "
                   "from notify.job_queue q join notify.delivery_attempts a "
                   "on a.job_id = q.job_id and a.attempt_no = q.attempt_no - 1")
          == std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(delay).count()));
    auto early = claims.claim("email", 1, 60s);
    REQUIRE(early);
    CHECK(early->empty());
    make_due();
    // In between: given back, which costs no number, and lost, which costs one.
    auto unstarted = claim(1).front();
    CHECK(unstarted.attempt_no == expected);
    REQUIRE(claims.release({ref_of(unstarted)}));
    CHECK(claim(1).front().attempt_no == expected++);
    expire();
    REQUIRE(reap().released == 1);
  }
  auto last = claim(1).front();
  CHECK(last.attempt_no == expected);
  record({sample_result(last, next_step::dead)}, {last.lease_id});
  CHECK(count("notify.job_queue") == "0");
  CHECK(db.query("select min(attempt_no), max(attempt_no), count(*) from notify.delivery_attempts")
        == postgres_fixture::rows{{"1", std::to_string(expected), std::to_string(expected)}});
  CHECK(job_row(last.job_id, "failures, reclaims, interruptions, attempt_count")
        == strings{"6", "5", "5", std::to_string(expected)});
}

} // namespace
} // namespace notify
