#include "tests/kill/kill_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>

// Orderly stops with sends in flight: they cost nothing.

namespace notify::test {
namespace {

constexpr auto rounds = 12;

std::string sum_of(kill_fixture& fixture, const std::string& column) {
  return fixture.db.value("select sum(" + column + ") from notify.notification_jobs");
}

/// Stops a process and checks that it left nothing behind that others must wait for.
void stop(kill_fixture& fixture, daemon& program) {
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(fixture.db.value("select count(*) from notify.leases") == "0");
  fixture.check_invariants();
}

TEST_CASE("D-A11: a send that the shutdown cut before its end is given back and not a failure") {
  kill_fixture fixture;
  fixture.seed(300);
  // The relay never gets to the mail itself, so nothing can have been accepted.
  fixture.provider.set_script(R"([{"action": {"do": "silence", "at": "rcpt"}}])");
  for (auto round = 0; round < rounds; ++round) {
    INFO("round " << round);
    auto program = fixture.start("one", {"--channel-email.slots=20", "--delivery.drain-timeout=0s",
                                         "--channel-email.smtp-max-connections=20",
                                         "--channel-email.deadline=60s", "--delivery.lease=70s"});
    REQUIRE(eventually([&] { return fixture.provider.state().at("connections") == 20; }));
    stop(fixture, program);
  }
  CHECK(fixture.db.value("select count(*) from notify.delivery_attempts") == "0");
  CHECK(sum_of(fixture, "failures") == "0");
  CHECK(std::stoi(sum_of(fixture, "interruptions")) >= 20 * rounds);
  fixture.finish();
  CHECK(unfinished_work(fixture.db) == nothing);
  CHECK(broken_deliveries(fixture.db, fixture.accepted()) == nothing);
  CHECK(sum_of(fixture, "failures + reclaims") == "0");
}

TEST_CASE("Q-B8: stop after stop against a slow provider uses up no retries and sends nothing "
          "twice") {
  kill_fixture fixture;
  fixture.seed(600);
  fixture.provider.set_script(R"([{"action": {"delay_ms": 60}}])");
  size_t stopped_early = 0;
  for (auto round = 0; round < rounds; ++round) {
    INFO("round " << round);
    auto before = fixture.provider.records().size();
    auto program = fixture.start("one", {"--channel-email.slots=8"});
    REQUIRE(eventually([&] { return fixture.provider.records().size() > before; }));
    stop(fixture, program);
    stopped_early += fixture.db.value("select count(*) > 0 from notify.job_queue") == "t" ? 1 : 0;
  }
  CHECK(stopped_early > 0);
  CHECK(sum_of(fixture, "failures + reclaims") == "0");
  fixture.finish();
  CHECK(unfinished_work(fixture.db) == nothing);
  CHECK(broken_deliveries(fixture.db, fixture.accepted()) == nothing);
  CHECK(sum_of(fixture, "failures + reclaims") == "0");
  CHECK(fixture.db.value("select count(*) from notify.delivery_attempts") == "600");
}

} // namespace
} // namespace notify::test
