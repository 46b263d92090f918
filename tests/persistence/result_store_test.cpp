#include "persistence/pg_result_store.hpp"

#include "messages/error.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

struct result_fixture : store_fixture {
  result_fixture() {
    ingest(db, 4);
    jobs = claim(4);
  }

  using store_fixture::attempt_row;
  using store_fixture::job_row;

  strings job_row(size_t i, const std::string& columns) { return job_row(jobs[i].job_id, columns); }

  strings attempt_row(size_t i, const std::string& columns) {
    return attempt_row(jobs[i].job_id, columns);
  }

  std::vector<delivery_job> jobs;
};

using strings = store_fixture::strings;

TEST_CASE_METHOD(result_fixture, "a batch of all outcomes moves each job its own way") {
  auto retry = sample_result(jobs[1], next_step::retry);
  retry.delay = 1h;
  auto held = sample_result(jobs[3], next_step::retry);
  held.counts_as_failure = false;
  auto applied = results.record({held, sample_result(jobs[2], next_step::dead), retry,
                                 sample_result(jobs[0], next_step::sent)},
                                {jobs[0].lease_id});
  REQUIRE(applied);
  CHECK(*applied == std::vector<bool>{true, true, true, true});
  auto columns = "status, attempt_count, failures, reclaims, interruptions, last_error_class, "
                 "last_error_code, dead_reason, finished_at is not null, next_attempt_no";
  CHECK(job_row(0, columns)
        == strings{"sent", "1", "0", "0", "0", "NULL", "NULL", "NULL", "t", "NULL"});
  CHECK(job_row(1, columns)
        == strings{"retry_wait", "1", "1", "0", "0", "retryable_provider_error", "smtp_refused",
                   "NULL", "f", "2"});
  CHECK(job_row(2, columns)
        == strings{"dead", "1", "1", "0", "0", "permanent_provider_error", "smtp_refused",
                   "permanent_provider_error", "t", "NULL"});
  CHECK(job_row(3, columns)
        == strings{"retry_wait", "1", "0", "0", "1", "retryable_provider_error", "smtp_refused",
                   "NULL", "f", "2"});
  CHECK(job_row(1, "due_at - updated_at") == strings{"01:00:00"});
  CHECK(db.value("select count(*) from notify.leases") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(result_fixture, "an attempt row keeps the provider's answer") {
  auto x = sample_result(jobs[0], next_step::retry);
  x.answer.phase = send_phase::final_dot;
  x.answer.provider_code = "4.7.1";
  x.answer.provider_message_id = "<id@provider>";
  x.answer.detail = "try \"later\" \\ {NULL} \xF0\x9F\x93\xA7";
  x.answer.wait_hint = 90s;
  x.clamped_wait = 60s;
  x.answer.bytes_sent = 12345;
  x.content_hash = std::string(64, 'c');
  x.started_ago = 1500ms;
  x.delay = 5s;
  REQUIRE(results.record({x}, {}));
  CHECK(attempt_row(0, "attempt_no, result, error_code, provider, provider_status, provider_code, "
                       "provider_message_id, phase, bytes_sent, detail, wait_hint_ms, "
                       "wait_clamped_ms, latency_ms, "
                       "finished_at - started_at, next_attempt_at - finished_at, budget, "
                       "idempotency_key, content_hash, late_result")
        == strings{"1", "retryable_provider_error", "smtp_refused", "smtp", "451", "4.7.1",
                   "<id@provider>", "final_dot", "12345", x.answer.detail, "90000", "60000", "1500",
                   "00:00:01.5", "00:00:05", "failure", "NULL", x.content_hash, "NULL"});
  auto other_key = sample_result(jobs[1], next_step::sent);
  other_key.idempotency_key = "another-key-2";
  REQUIRE(results.record({other_key}, {}));
  CHECK(attempt_row(1, "idempotency_key, error_code, detail, wait_hint_ms, wait_clamped_ms")
        == strings{"another-key-2", "NULL", "NULL", "NULL", "NULL"});
}

TEST_CASE_METHOD(result_fixture, "a result said twice changes nothing, in one batch or in two") {
  auto first = sample_result(jobs[0], next_step::retry);
  auto second = sample_result(jobs[0], next_step::sent);
  auto applied = results.record({first, second, first}, {});
  REQUIRE(applied);
  CHECK(*applied == std::vector<bool>{true, false, false});
  auto again = results.record({sample_result(jobs[1], next_step::sent), second}, {});
  REQUIRE(again);
  CHECK(*again == std::vector<bool>{true, false});
  CHECK(job_row(0, "status, failures, attempt_count") == strings{"retry_wait", "1", "1"});
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(result_fixture, "a stale worker cannot overwrite a newer result") {
  expire();
  REQUIRE(reaper.reap(10, 5));
  auto next = claims.claim("email", 4, 60s);
  REQUIRE(next);
  auto applied = results.record({sample_result(jobs[0], next_step::dead)}, {jobs[0].lease_id});
  REQUIRE(applied);
  CHECK(*applied == std::vector<bool>{false});
  CHECK(job_row(0, "status, attempt_count, reclaims") == strings{"processing", "1", "1"});
  CHECK(db.value("select count(*) from notify.leases") == "1");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(result_fixture, "a lost worker's attempt counts as a reclaim, up to the cap") {
  auto lost = sample_result(jobs[0], next_step::retry);
  lost.counts_as_reclaim = true;
  lost.counts_as_failure = false;
  lost.result = "unknown_outcome";
  auto last = lost;
  last.attempt = ref_of(jobs[1]);
  last.next = next_step::dead;
  last.dead_reason = "reclaim_limit";
  REQUIRE(results.record({lost, last}, {}));
  CHECK(job_row(0, "status, reclaims, failures, dead_reason")
        == strings{"retry_wait", "1", "0", "NULL"});
  CHECK(job_row(1, "status, reclaims, failures, dead_reason")
        == strings{"dead", "1", "0", "reclaim_limit"});
}

TEST_CASE_METHOD(result_fixture, "a dead job always tells why it is dead") {
  auto used_up = sample_result(jobs[0], next_step::dead);
  used_up.result = "rate_limited_provider_error";
  used_up.dead_reason.clear();
  auto expired = used_up;
  expired.attempt = ref_of(jobs[1]);
  expired.dead_reason = "expired";
  auto not_dead = sample_result(jobs[2], next_step::retry);
  not_dead.dead_reason = "not a reason at all";
  auto sent = sample_result(jobs[3], next_step::sent);
  sent.dead_reason = "nor this one";
  record({used_up, expired, not_dead, sent});
  CHECK(job_row(0, "dead_reason") == strings{"attempts_exhausted"});
  CHECK(job_row(1, "dead_reason") == strings{"expired"});
  CHECK(job_row(2, "dead_reason") == strings{"NULL"});
  CHECK(job_row(3, "dead_reason") == strings{"NULL"});
}

TEST_CASE_METHOD(result_fixture, "a late success makes an open job sent, wherever it is") {
  expire();
  REQUIRE(reaper.reap(10, 5));
  auto waiting = results.record_late_success(sample_result(jobs[0], next_step::sent));
  REQUIRE(waiting);
  CHECK(*waiting);
  CHECK(misplaced_jobs(db) == 0);
  auto next = claims.claim("email", 4, 60s);
  REQUIRE(next);
  CHECK(next->size() == 3);
  auto late = sample_result(jobs[1], next_step::sent);
  late.answer.provider_message_id = "late-id";
  auto in_flight = results.record_late_success(late);
  REQUIRE(in_flight);
  CHECK(*in_flight);
  CHECK(job_row(0, "status, finished_at is not null") == strings{"sent", "t"});
  CHECK(job_row(1, "status, provider_message_id") == strings{"sent", "late-id"});
  CHECK(attempt_row(1, "result, late_result, provider_message_id")
        == strings{"abandoned", "sent", "late-id"});
  // The second attempt is on its way; whatever comes of it, the job stays sent.
  for (auto& x : *next)
    REQUIRE(results.record({sample_result(x, next_step::retry)}, {x.lease_id}));
  CHECK(job_row(1, "status, failures") == strings{"sent", "0"});
  CHECK(misplaced_jobs(db) == 0);
  CHECK(overtaken_jobs(db) == 0);
}

TEST_CASE_METHOD(result_fixture, "a success that was recorded in time is left as it is") {
  REQUIRE(results.record({sample_result(jobs[0], next_step::sent)}, {}));
  auto changed = results.record_late_success(sample_result(jobs[0], next_step::sent));
  REQUIRE(changed);
  CHECK_FALSE(*changed);
  CHECK(attempt_row(0, "late_result") == strings{"NULL"});
}

TEST_CASE_METHOD(result_fixture, "a late success is noted on a job that died meanwhile") {
  expire();
  REQUIRE(reaper.reap(10, 0));
  auto changed = results.record_late_success(sample_result(jobs[0], next_step::sent));
  REQUIRE(changed);
  CHECK_FALSE(*changed);
  CHECK(job_row(0, "status") == strings{"dead"});
  CHECK(attempt_row(0, "late_result") == strings{"sent"});
}

TEST_CASE_METHOD(result_fixture, "a finished lease can be ended without results") {
  auto applied = results.record({}, {jobs[0].lease_id, 4711});
  REQUIRE(applied);
  CHECK(applied->empty());
  CHECK(db.value("select count(*) from notify.leases") == "0");
  auto nothing = results.record({}, {});
  CHECK(nothing);
}

TEST_CASE_METHOD(result_fixture, "one unstorable result refuses its batch, and no other") {
  auto bad = sample_result(jobs[0], next_step::retry);
  bad.content_hash = "poison\xff";
  auto refused = results.record({bad, sample_result(jobs[1], next_step::sent)}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == ec::storage_data);
  bad.content_hash = std::string("poison\0", 7);
  refused = results.record({bad}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == ec::storage_data);
  auto unclassified = sample_result(jobs[0], next_step::dead);
  unclassified.result = "sent";
  refused = results.record({unclassified}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == ec::storage_data);
  CHECK(results.record({sample_result(jobs[1], next_step::sent)}, {}));
  CHECK(job_row(0, "status") == strings{"processing"});
}

} // namespace
} // namespace notify
