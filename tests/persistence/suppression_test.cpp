#include "persistence/pg_ingest_store.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

attempt_result refused_for_good(const delivery_job& job, const std::string& reason) {
  auto x = sample_result(job, next_step::dead);
  x.dead_reason = "permanent_provider_error";
  x.answer.kind = outcome_kind::permanent;
  x.answer.reason = reason;
  x.answer.suppress_recipient = true;
  return x;
}

// Events 1 and 2 go to one recipient, 3 to another one, all of them through two channels.
struct suppression_fixture : store_fixture {
  suppression_fixture() {
    auto batch = sample_batch(3, {"email", "webhook"});
    for (auto& job : batch.jobs)
      job.recipient = job.event_id == sample_event(3).event_id ? "b@example.com" : "a@example.com";
    REQUIRE(pg_ingest_store{db.config()}.store(batch));
  }

  postgres_fixture::rows suppressions(const std::string& columns) {
    return db.query("select " + columns + " from notify.suppressions order by channel, recipient");
  }
};

using rows = postgres_fixture::rows;

TEST_CASE_METHOD(suppression_fixture, "a recipient that refused for good is suppressed in its "
                                      "channel") {
  auto jobs = claim(3);
  record({refused_for_good(jobs[0], "smtp_rcpt_refused")}, {});
  CHECK(suppressions("channel, recipient, reason, job_id, suppressed_at = now(), "
                     "suppressed_until - suppressed_at")
        == rows{{"email", "a@example.com", "smtp_rcpt_refused", to_string(jobs[0].job_id), "f",
                 "30 days"}});
  auto released = claims.release({ref_of(jobs[1]), ref_of(jobs[2])});
  REQUIRE(released);
  CHECK(*released == 2);
  for (const auto& job : claim(2))
    CHECK(job.suppressed == (job.recipient == "a@example.com" ? "smtp_rcpt_refused" : ""));
  for (const auto& job : claim(3, "webhook"))
    CHECK(job.suppressed.empty());
}

TEST_CASE_METHOD(suppression_fixture, "a suppression ends, and is renewed by another refusal") {
  pg_result_store shorter{db.config(), 1h};
  auto jobs = claim(3);
  REQUIRE(shorter.record({refused_for_good(jobs[0], "first")}, {}));
  db.query("update notify.suppressions set suppressed_until = now(), "
           "suppressed_at = suppressed_at - interval '1 hour'");
  auto released = claims.release({ref_of(jobs[1]), ref_of(jobs[2])});
  REQUIRE(released);
  auto again = claim(2);
  CHECK(again[0].suppressed.empty());
  CHECK(again[0].recipient == "a@example.com");
  REQUIRE(shorter.record({refused_for_good(again[0], "second")}, {}));
  CHECK(suppressions("recipient, reason, job_id, suppressed_until - suppressed_at")
        == rows{{"a@example.com", "second", to_string(again[0].job_id), "01:00:00"}});
}

TEST_CASE_METHOD(suppression_fixture, "D-B5: one recipient that refused twice in a batch is "
                                      "suppressed once") {
  auto jobs = claim(3);
  record({refused_for_good(jobs[0], "x"), refused_for_good(jobs[1], "x"),
          refused_for_good(jobs[2], "x")},
         {jobs[0].lease_id});
  CHECK(suppressions("recipient") == rows{{"a@example.com"}, {"b@example.com"}});
  CHECK(count("notify.notifications where channel = 'email' and status = 'dead'") == "3");
}

TEST_CASE_METHOD(suppression_fixture, "only what is recorded for the first time suppresses") {
  auto jobs = claim(3);
  expire();
  REQUIRE(reap().released == 3);
  auto applied = results.record({refused_for_good(jobs[0], "too late")}, {});
  REQUIRE(applied);
  CHECK(*applied == std::vector<bool>{false});
  CHECK(suppressions("recipient").empty());
  auto sent = sample_result(claim(3)[0], next_step::sent);
  record({sent}, {});
  CHECK(suppressions("recipient").empty());
}

TEST_CASE_METHOD(suppression_fixture, "a refusal without a code is named by its class") {
  auto job = claim(3)[0];
  record({refused_for_good(job, "")}, {});
  CHECK(suppressions("reason") == rows{{"permanent_provider_error"}});
}

} // namespace
} // namespace notify
