#include "persistence/pg_janitor_store.hpp"
#include "persistence/pg_operator_store.hpp"
#include "tests/kill/kill_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <list>
#include <thread>

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

TEST_CASE("D-E2: a notification whose event is gone becomes dead with its reason, not retried for "
          "ever") {
  kill_fixture fixture;
  fixture.seed(3);
  fixture.db.query("delete from notify.inbox_events where event_id in (select event_id from "
                   "notify.notification_jobs limit 1)");
  auto program = fixture.start("one");
  fixture.require_value("select count(*) from notify.notifications where status = 'sent'", "2");
  fixture.require_value("select count(*) from notify.notifications where status = 'dead'", "1");
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(fixture.db
            .query("select attempt_count, last_error_class from notify.notifications "
                   "where status = 'dead'")
            .at(0)
        == std::vector<std::string>{"1", "invalid_template_error"});
}

TEST_CASE("Q-B26: five processes with all maintenance every 100 ms under load meet no deadlock") {
  kill_fixture fixture;
  bury(fixture.db, 3'000);
  std::list<daemon> processes;
  for (int i = 0; i < 5; ++i)
    processes.emplace_back(
        "notifyd",
        fixture.arguments("node-" + std::to_string(i),
                          {"--reaper.interval=100ms", "--operators.operation-interval=100ms",
                           "--operators.operation-pause=0s", "--operators.operation-batch=50"}));
  // Cleaning is not set to less than a second, so the test does it as well.
  std::atomic<int> failures = 0;
  std::vector<std::jthread> janitors;
  for (int i = 0; i < 5; ++i)
    janitors.emplace_back([&](const std::stop_token& stop) {
      retention_times keep;
      keep.jobs = keep.dead_jobs = std::chrono::seconds{1};
      pg_janitor_store store{fixture.db.config(), keep};
      while (!stop.stop_requested()) {
        for (auto kind : retained_kinds)
          if (!store.clean(kind, {}, 100))
            ++failures;
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
      }
    });
  pg_operator_store acts{fixture.db.config()};
  notification_filter dead, email;
  dead.status = "dead";
  email.channel = "email";
  for (int round = 0; round < 5; ++round) {
    fixture.seed(200);
    REQUIRE(acts.start({bulk_kind::retry, dead, false, "ada"}));
    REQUIRE(acts.start({bulk_kind::cancel, email, false, "ada"}));
    REQUIRE(acts.start({bulk_kind::retry, email, false, "ada"}));
  }
  fixture.require_value("select count(*) from notify.operations where status <> 'done'", "0");
  fixture.require_value("select count(*) from notify.notifications where channel = 'email' and "
                        "status in ('pending', 'processing', 'retry_wait')",
                        "0");
  janitors.clear();
  CHECK(failures == 0);
  for (auto& x : processes)
    x.signal(SIGTERM);
  for (auto& x : processes) {
    CHECK(x.wait() == 0);
    CHECK(x.output().find("40P01") == std::string::npos);
  }
  fixture.db.query("select pg_stat_clear_snapshot()");
  CHECK(
      fixture.db.value("select deadlocks from pg_stat_database where datname = current_database()")
      == "0");
}

} // namespace
} // namespace notify::test
