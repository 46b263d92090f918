#include "persistence/pg_operator_store.hpp"
#include "persistence/pg_read_store.hpp"
#include "tests/kill/kill_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>

// Acts on many notifications whose process is killed.

namespace notify::test {
namespace {

/// Jobs that died, straight into the tables. Their channel is off, so that nothing is sent.
void bury(postgres_fixture& db, int count) {
  db.query("insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, "
           "template_key, locale, status, dead_reason, finished_at, attempt_count, created_at) "
           "select gen_random_uuid(), gen_random_uuid(), 'order.paid.v1', 'webhook', 'r', 'k', "
           "'en', 'dead', 'attempts_exhausted', now(), 6, now() - (g / 3) * interval '1 second' "
           "from generate_series(1, "
           + std::to_string(count) + ") g");
}

TEST_CASE("D-G9: of 10,050 dead notifications each is retried once, though the process is killed "
          "in the middle, twice") {
  kill_fixture fixture;
  bury(fixture.db, 10'050);
  notification_filter dead;
  dead.status = "dead";
  auto started =
      pg_operator_store{fixture.db.config()}.start({bulk_kind::retry, dead, false, "ada"});
  REQUIRE(started);
  const std::vector<std::string> slow{"--operators.operation-batch=50",
                                      "--operators.operation-pause=10ms",
                                      "--operators.operation-interval=50ms"};
  auto progress = [&] { return std::stoi(fixture.db.value("select done from notify.operations")); };
  for (auto part : {2'000, 5'000}) {
    auto victim = fixture.start("victim", slow);
    REQUIRE(eventually([&] { return progress() > part; }));
    victim.signal(SIGKILL);
    victim.wait();
    REQUIRE(progress() < 10'050);
  }
  auto last = fixture.start("last", {"--operators.operation-interval=50ms"});
  fixture.require_value("select status from notify.operations", "done");
  last.signal(SIGTERM);
  CHECK(last.wait() == 0);
  CHECK(fixture.db.query("select matched, done, skipped from notify.operations").at(0)
        == std::vector<std::string>{"10050", "10050", "{}"});
  CHECK(fixture.db.value("select count(*) from notify.notification_jobs where redrives = 1")
        == "10050");
  CHECK(fixture.db.value("select count(*) from notify.job_queue") == "10050");
}

} // namespace
} // namespace notify::test
