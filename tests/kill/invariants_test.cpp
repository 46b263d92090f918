#include "tests/kill/kill_fixture.hpp"

#include <catch2/catch.hpp>

// The checks of the other tests here are only worth what they notice.

namespace notify::test {
namespace {

std::vector<std::string> broken(kill_fixture& fixture) {
  return broken_invariants(fixture.db, {{"order.paid.v1", "email"}});
}

const std::string one_job = "(select id from notify.notification_jobs order by id limit 1)";

std::string attempt(const std::string& number, const std::string& result,
                    const std::string& budget) {
  return "insert into notify.delivery_attempts (job_id, attempt_no, started_at, finished_at,"
         " result, budget) values ("
         + one_job + ", " + number + ", now(), now(), '" + result + "', " + budget + ")";
}

const std::string sent_by_hand =
    "update notify.notification_jobs set status = 'sent', finished_at = now() where id = "
    + one_job;
const std::string out_of_the_queue = "delete from notify.job_queue where job_id = " + one_job;

TEST_CASE("fresh jobs break no invariant, but are not finished") {
  kill_fixture fixture;
  fixture.seed(3);
  CHECK(broken(fixture) == nothing);
  // Jobs that are not sent, and their queue rows.
  CHECK(unfinished_work(fixture.db).size() == 2);
}

/// Ways to lose, double or misplace.
const std::vector<std::string> damages{
    // A lost job, one without its event, one too many, an event that nobody routes.
    "delete from notify.notification_jobs where id = " + one_job,
    "delete from notify.inbox_events where event_id in"
    " (select event_id from notify.notification_jobs where id = "
        + one_job + ")",
    "update notify.notification_jobs set event_id = (select event_id from"
    " notify.notification_jobs order by id desc limit 1) where id = "
        + one_job,
    "update notify.inbox_events set type = 'order.unknown.v1'",
    // In no place, in two, terminal and waiting.
    out_of_the_queue,
    "insert into notify.leases (owner, channel, lease_until, job_ids, attempt_nos)"
    " select gen_random_uuid(), 'email', now(), array[job_id], array[attempt_no]"
    " from notify.job_queue where job_id = "
        + one_job,
    sent_by_hand,
    // Attempts: a gap, none behind a sent job, two that were sent, one behind an open job.
    attempt("2", "abandoned", "'reclaim'"),
    out_of_the_queue + ';' + sent_by_hand,
    out_of_the_queue + ';' + sent_by_hand + ';' + attempt("1", "sent", "null") + ';'
        + attempt("2", "sent", "null"),
    attempt("1", "sent", "null"),
    // A failure that nobody charged, and one that nobody had.
    attempt("1", "retryable_provider_error", "'failure'"),
    "update notify.notification_jobs set failures = 1 where id = " + one_job,
};

TEST_CASE("the invariants notice every way to lose, double or misplace") {
  for (const auto& damage : damages) {
    INFO(damage);
    kill_fixture fixture;
    fixture.seed(2);
    fixture.db.query(damage);
    CHECK(broken(fixture) != nothing);
  }
}

TEST_CASE("what a provider had is held against the jobs") {
  kill_fixture fixture;
  fixture.seed(1);
  auto job = fixture.db.value("select id from notify.notification_jobs");
  CHECK(broken_deliveries(fixture.db, {}) == nothing);
  CHECK(broken_deliveries(fixture.db, {{job, 1}}) == nothing);
  CHECK(broken_deliveries(fixture.db, {{job, 2}}) != nothing);
  CHECK(broken_deliveries(fixture.db, {{job, 2}}, {{job, 1}}) == nothing);
  CHECK(broken_deliveries(fixture.db, {{"stranger", 1}}) != nothing);
  fixture.db.query(out_of_the_queue + ';' + sent_by_hand);
  CHECK(broken_deliveries(fixture.db, {}) != nothing);
}

} // namespace
} // namespace notify::test
