#include "persistence/pg_ingest_store.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

// Clocks went forward at the first instant of this day in Sao Paulo: 00:00 to 00:59 did not exist.
constexpr int64_t change_us = 1541300400000000; // 2018-11-04T03:00:00Z
constexpr int64_t day_us = 86400000000;

std::string microseconds(const std::string& interval) {
  return "(extract(epoch from " + interval + ") * 1000000)::bigint";
}

struct zone_fixture : store_fixture {
  zone_fixture() {
    db.query("alter database " + db.name() + " set timezone = 'America/Sao_Paulo'");
    raw_connection other{db.url()};
    REQUIRE(other.query("show timezone").at(0).at(0) == "America/Sao_Paulo");
  }
};

TEST_CASE_METHOD(zone_fixture, "Q-B30: times of jobs are instants in any zone, on days when clocks "
                               "change too") {
  auto batch = sample_batch(3);
  batch.jobs[0].not_before_us = change_us + 30 * 60 * 1000000LL; // An hour that did not exist.
  batch.jobs[1].expires_at_us = change_us + day_us;
  batch.jobs[2].not_before_us = change_us + 400 * 365 * day_us; // Centuries ahead.
  batch.jobs[2].expires_at_us = change_us + 400 * 365 * day_us;
  REQUIRE(pg_ingest_store{db.config()}.store(batch));
  auto stored = [&](size_t i) {
    return job_row(batch.jobs[i].id, microseconds("due_at") + ", " + microseconds("expires_at")
                                         + ", due_at = created_at");
  };
  CHECK(stored(0)[2] == "t");
  CHECK(stored(1)[1] == std::to_string(*batch.jobs[1].expires_at_us));
  CHECK(stored(1)[2] == "t");
  CHECK(stored(2)[0] == std::to_string(*batch.jobs[2].not_before_us));
  CHECK(stored(2)[1] == std::to_string(*batch.jobs[2].expires_at_us));
  CHECK(stored(2)[2] == "f");
  auto jobs = claim(2);
  CHECK(jobs[0].expires_in == caf::timespan::max());
  CHECK(jobs[1].expires_in < -24h * 365);
}

TEST_CASE_METHOD(zone_fixture, "Q-B30: every distance is exact in any zone: leases, retries, "
                               "suppressions, ages, reservations") {
  // Half a year crosses a change of clocks wherever there is one.
  constexpr auto far = 24h * 183;
  constexpr auto far_us = 183 * day_us;
  ingest(db, 2);
  auto jobs = claims.claim("email", 2, far);
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 2);
  CHECK(db.value("select " + microseconds("lease_until - claimed_at") + " from notify.leases")
        == std::to_string(far_us));
  REQUIRE(claims.heartbeat({jobs->front().lease_id}, far));
  CHECK(db.value("select lease_until - now() between interval '4391 hours' and "
                 "interval '4392 hours' from notify.leases")
        == "t");
  pg_result_store patient{db.config(), far};
  auto x = sample_result(jobs->at(0), next_step::retry);
  x.result = "unknown_outcome";
  x.delay = far;
  x.started_ago = far;
  x.answer.suppress_recipient = true;
  REQUIRE(patient.record({x}, {}));
  CHECK(db.query("select " + microseconds("next_attempt_at - finished_at") + ", "
                 + microseconds("finished_at - started_at") + " from notify.delivery_attempts")
        == postgres_fixture::rows{{std::to_string(far_us), std::to_string(far_us)}});
  CHECK(db.value("select " + microseconds("suppressed_until - suppressed_at")
                 + " from notify.suppressions")
        == std::to_string(far_us));
  make_due();
  auto again = claim(1).front();
  CHECK(again.first_unknown_age >= far);
  CHECK(again.first_unknown_age < far + 10min);
  CHECK_FALSE(again.suppressed.empty());
  REQUIRE(claims.reserve_sends("email", 1, far));
  auto wait = claims.reserve_sends("email", 1, far);
  REQUIRE(wait);
  CHECK(*wait <= far);
  CHECK(*wait > far - 10min);
}

TEST_CASE_METHOD(zone_fixture, "Q-B30: nothing is rescued early or sent early by a process with "
                               "another idea of the time") {
  // What a process knows of time are distances; its clock is in none of its statements. An event's
  // own time, from a producer's clock, moves nothing either.
  auto batch = sample_batch(2);
  batch.events[0].occurred_at_us += 10 * 365 * day_us;
  batch.events[1].occurred_at_us -= 10 * 365 * day_us;
  REQUIRE(pg_ingest_store{db.config()}.store(batch));
  CHECK(count("notify.job_queue where due_at <= now()") == "2");
  auto jobs = claim(2);
  CHECK(reap().leases == 0);
  auto x = sample_result(jobs[0], next_step::retry);
  x.delay = 10min;
  record({x, sample_result(jobs[1], next_step::sent)}, {jobs[0].lease_id});
  auto early = claims.claim("email", 10, 60s);
  REQUIRE(early);
  CHECK(early->empty());
}

} // namespace
} // namespace notify
