#include "tests/persistence/careless_workers.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

TEST_CASE("careless workers against a reaper lose, double and forget nothing") {
  auto report = run_careless_workers({}, {});
  INFO(report);
  CHECK(report.violations.empty());
  CHECK(report.abandoned > 0);
  CHECK(report.late > 0);
}

/// A mistake in one statement: text that is replaced by other text, which must both be there.
struct mutation {
  const char* name;
  std::string delivery_statements::*statement;
  std::vector<std::pair<std::string, std::string>> changes;
};

const std::vector<mutation>& mutations() {
  static const std::vector<mutation> all = {
      {"the claim takes rows that others hold",
       &delivery_statements::claim_jobs,
       {{"for update skip locked", ""}}},
      {"the claim leaves its rows in the queue",
       &delivery_statements::claim_jobs,
       {{"where q.ctid = due.place", "where q.ctid = due.place and false"}}},
      {"the result does not ask whether its attempt was recorded",
       &delivery_statements::record_attempts,
       {{"from attempt a join input i",
         "from (select job_id, attempt_no, now() as started_at, "
         "now() + delay_us * interval '1 microsecond' as next_attempt_at from input) a "
         "join input i"}}},
      {"the result ends its lease, but not all of its jobs",
       &delivery_statements::record_attempts,
       {{"where j.id = a.job_id and j.status = 'open'",
         "where j.id = a.job_id and j.status = 'open' and j.attempt_count = 0"}}},
      {"a failure does not bring its job back to the queue",
       &delivery_statements::record_attempts,
       {{"from job where next_attempt_at is not null",
         "from job where next_attempt_at is not null and attempt_no > 1"}}},
      {"a retry keeps the attempt's number",
       &delivery_statements::record_attempts,
       {{"select id, next_attempt_at, attempt_no + 1", "select id, next_attempt_at, attempt_no"}}},
      {"a job is given back although its attempt was recorded",
       &delivery_statements::release_jobs,
       {{" and j.attempt_count < w.attempt_no", ""}}},
      {"the reaper moves jobs by their id, whoever recorded the attempt",
       &delivery_statements::reap_leases,
       {{"  where not exists (select from notify.delivery_attempts a\n"
         "    where a.job_id = u.job_id and a.attempt_no = u.attempt_no)",
         ""},
        {"from abandoned a",
         "from (select job_id, attempt_no, claimed_at as started_at from entry) a"}}},
      {"the reaper ends leases whose jobs it did not take",
       &delivery_statements::reap_leases,
       {{"delete from notify.leases l using expired where l.id = expired.id",
         "delete from notify.leases l where l.lease_until < now()"}}},
      {"the reaper leaves the lease",
       &delivery_statements::reap_leases,
       {{"l.id = expired.id", "l.id = expired.id and false"},
        {"  where not exists (select from notify.delivery_attempts a\n"
         "    where a.job_id = u.job_id and a.attempt_no = u.attempt_no)",
         ""},
        {"  on conflict do nothing\n", ""}}},
      {"a late success leaves its job in the queue",
       &delivery_statements::leave_queue,
       {{"where job_id = :job_id::uuid", "where job_id = :job_id::uuid and false"}}},
  };
  return all;
}

delivery_statements mutated(const mutation& x) {
  delivery_statements result;
  auto& text = result.*x.statement;
  for (const auto& [from, to] : x.changes) {
    auto at = text.find(from);
    INFO(x.name << ": the statement no longer has " << from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }
  return result;
}

TEST_CASE("a mistake in any statement is noticed by the checks of the careless workers") {
  constexpr unsigned most_rounds = 10;
  for (const auto& x : mutations()) {
    auto statements = mutated(x);
    careless_report report;
    for (unsigned round = 0; round < most_rounds && report.violations.empty(); ++round)
      report = run_careless_workers(statements, {400, 4, 40, 100 * round + 1});
    INFO(x.name << ": " << report);
    CHECK_FALSE(report.violations.empty());
  }
}

} // namespace
} // namespace notify
