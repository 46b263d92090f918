#include "tests/kill/kill_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>

// kill -9 at chosen points, many times over one database. After each the tables must be in order,
// and in the end everything is delivered.

namespace notify::test {
namespace {

constexpr auto rounds = 50;
constexpr size_t slots = 4;

constexpr auto hold_all = R"([{"action": {"do": "hold"}}])";

void kill_now(daemon& victim) {
  victim.signal(SIGKILL);
  CHECK(victim.wait() == 128 + SIGKILL);
}

/// Waits for a claim after `before`, and requires that it has more jobs than there are slots.
void await_claim(kill_fixture& fixture, int64_t before) {
  auto fresh = "select coalesce(max(cardinality(job_ids)), 0) from notify.leases where id > "
               + std::to_string(before);
  REQUIRE(eventually([&] { return fixture.db.value(fresh) != "0"; }));
  REQUIRE(std::stoul(fixture.db.value(fresh)) > slots);
}

/// Keeps in mind which jobs may come once more: accepted, but not recorded as sent.
void add_spare(acceptances& spare, const acceptances& unrecorded) {
  for (const auto& [job, count] : unrecorded)
    spare[job] = count;
}

void check_end(kill_fixture& fixture, const acceptances& spare) {
  fixture.finish();
  fixture.check_invariants();
  CHECK(unfinished_work(fixture.db) == nothing);
  CHECK(broken_deliveries(fixture.db, fixture.accepted(), spare) == nothing);
}

TEST_CASE("D-A5: processes that die after their claim and before a send lose nothing") {
  kill_fixture fixture;
  fixture.seed(700);
  // The relay does not even greet: what was claimed cannot have been sent.
  fixture.provider.set_script(R"([{"action": {"do": "wait", "at": "greeting"}}])");
  for (auto round = 0; round < rounds; ++round) {
    INFO("round " << round);
    auto before = last_lease(fixture.db);
    auto victim = fixture.start("victim");
    await_claim(fixture, before);
    // Every other time later: the workers are on the wire by then.
    if (round % 2 == 1)
      REQUIRE(eventually([&] { return fixture.provider.waiting() == slots; }));
    kill_now(victim);
    fixture.check_invariants();
  }
  CHECK(fixture.provider.records().empty());
  check_end(fixture, {});
  CHECK(fixture.db.value("select sum(failures) from notify.notification_jobs") == "0");
  CHECK(std::stoi(fixture.db.value("select sum(reclaims) from notify.notification_jobs")) > rounds);
}

TEST_CASE("processes that die between a provider's yes and its record send once more, under the "
          "same Message-ID") {
  kill_fixture fixture;
  fixture.seed(700);
  fixture.provider.set_script(hold_all);
  acceptances spare;
  for (size_t round = 0; round < rounds; ++round) {
    INFO("round " << round);
    auto victim = fixture.start("victim");
    REQUIRE(eventually([&] { return fixture.provider.waiting() > round % slots; }));
    kill_now(victim);
    add_spare(spare, fixture.accepted_unrecorded("victim"));
    fixture.check_invariants();
  }
  CHECK(spare.size() >= rounds);
  check_end(fixture, spare);
  // Each of them came again, and so did no other.
  auto accepted = fixture.accepted();
  for (const auto& [job, count] : spare)
    CHECK(accepted.at(job) == count + 1);
}

TEST_CASE("processes that die inside the commit of results lose none and double none") {
  kill_fixture fixture;
  fixture.seed(700);
  fixture.provider.set_script(hold_all);
  raw_connection other{fixture.db.url()};
  acceptances spare;
  size_t sent = 0;
  for (auto round = 0; round < rounds; ++round) {
    INFO("round " << round);
    auto before = last_lease(fixture.db);
    auto victim = fixture.start("victim");
    REQUIRE(eventually([&] { return fixture.provider.waiting() == slots; }));
    // Whoever writes a result of these jobs waits for us.
    other.query("begin; select from notify.notification_jobs where id in (select unnest(job_ids)"
                " from notify.leases where id > "
                + std::to_string(before) + ") order by id for update");
    fixture.provider.release();
    REQUIRE(eventually([&] {
      return fixture.db.value("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                              " and datname = current_database()"
                              " and application_name = 'victim/result'")
             == "1";
    }));
    kill_now(victim);
    // The server does not see that its client is gone: once the lock is free it commits for a dead
    // one. Every other time it sees it before, and nothing is committed.
    if (round % 2 == 1)
      fixture.terminate("victim");
    other.query("rollback");
    add_spare(spare, fixture.accepted_unrecorded("victim"));
    fixture.check_invariants();
    sent = std::stoul(
        fixture.db.value("select count(*) from notify.notification_jobs where status = 'sent'"));
  }
  // Both ways were taken.
  CHECK(sent > 0);
  CHECK(spare.size() > 0);
  check_end(fixture, spare);
}

/// Brings a process that was told to stop to the point where it is killed.
void await_shutdown(kill_fixture& fixture, daemon& victim, int round) {
  REQUIRE(await_message(victim, "stopping"));
  if (round % 3 == 1)
    REQUIRE(await_message(victim, "gave back unsent jobs"));
  // While the last results are written, or after.
  if (round % 3 == 2) {
    fixture.provider.release();
    REQUIRE(await_message(victim, "attempt sent"));
  }
}

TEST_CASE("processes that are killed while they stop lose nothing") {
  kill_fixture fixture;
  fixture.seed(700);
  fixture.provider.set_script(hold_all);
  acceptances spare;
  for (auto round = 0; round < rounds; ++round) {
    INFO("round " << round);
    auto victim = fixture.start("victim");
    REQUIRE(eventually([&] { return fixture.provider.waiting() == slots; }));
    victim.signal(SIGTERM);
    await_shutdown(fixture, victim, round);
    victim.signal(SIGKILL);
    auto code = victim.wait();
    REQUIRE(code);
    // It may have been faster.
    CHECK((*code == 128 + SIGKILL || (*code == 0 && round % 3 == 2)));
    add_spare(spare, fixture.accepted_unrecorded("victim"));
    fixture.check_invariants();
  }
  CHECK(std::stoi(fixture.db.value("select sum(interruptions) from notify.notification_jobs"))
        > rounds);
  check_end(fixture, spare);
}

} // namespace
} // namespace notify::test
