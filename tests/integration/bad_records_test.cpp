#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>
#include <future>

// Bad records and the whole service: they neither kill it for good nor empty a topic.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

constexpr auto all_events = "select count(*) from notify.inbox_events";
constexpr auto all_letters = "select count(*) from notify.dead_letters";

/// A variable of the processes that are started while it exists.
class variable {
public:
  variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~variable() { unsetenv(name_); }

  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

private:
  const char* name_;
};

std::vector<std::string> ingest_only(const pipeline_fixture& fixture, const std::string& instance) {
  auto result = fixture.arguments(instance);
  // A static member has its partition back at once, as long as its predecessor is remembered.
  result.insert(result.end(), {"--service.run-deliver=false", "--kafka.instance-id=the-one"});
  return result;
}

TEST_CASE(
    "a record that kills the process three times becomes a dead letter, all others are stored "
    "once, and the offsets move on") {
  variable poison{"NOTIFY_DEBUG_POISON", "deadly@example.com"};
  pipeline_fixture fixture{1};
  auto records = fixture.events(11);
  sample::choices choices;
  choices.email = "deadly@example.com";
  records[4] = fixture.event(choices);
  fixture.publish(records);
  for (int crash = 0; crash < 3; ++crash) {
    INFO("crash " << crash);
    CHECK(fixture.db.value(all_letters) == "0");
    daemon victim{"notifyd", ingest_only(fixture, "victim")};
    REQUIRE(victim.wait() == 128 + SIGABRT);
  }
  daemon survivor{"notifyd", ingest_only(fixture, "survivor")};
  fixture.require_value(all_events, "10");
  fixture.require_value(all_letters, "1");
  CHECK(fixture.db.query("select reason, \"offset\", attempts, event_id from notify.dead_letters")
        == postgres_fixture::rows{{"crashed_repeatedly", "4", "1", "NULL"}});
  CHECK(fixture.db.value("select string_agg(\"offset\"::text, ' ' order by \"offset\") "
                         "from notify.inbox_events")
        == "0 1 2 3 5 6 7 8 9 10");
  CHECK(eventually([&] { return fixture.committed_records() == 11; }));
  CHECK(fixture.db.value("select count(*) from notify.ingest_suspects") == "0");
  fixture.publish(fixture.events(5));
  fixture.require_value(all_events, "15");
  CHECK(survivor.running());
}

health_report ask(running_pipeline& pipeline) {
  std::promise<health_report> answer;
  pipeline->health([&](health_report x) { answer.set_value(std::move(x)); });
  return answer.get_future().get();
}

/// Why the service is not ready; empty if it is.
std::string reasons(const health_report& report) {
  std::string result;
  for (const auto& x : report.checks)
    result += x.ok ? "" : x.check + " " + x.reason;
  return result;
}

TEST_CASE("a topic full of unfit records halts ingest and turns readiness red, and nothing of it "
          "is lost") {
  pipeline_fixture fixture{1};
  auto unfit = fixture.events(60);
  for (auto& x : unfit)
    x.value.bytes = "not json";
  auto config = fixture.config();
  {
    running_pipeline pipeline{config};
    fixture.publish(fixture.events(3));
    fixture.require_value(all_events, "3");
    fixture.publish(unfit);
    fixture.publish(fixture.events(3));
    health_report report;
    REQUIRE(eventually([&] {
      report = ask(pipeline);
      return reasons(report).find("kafka halted: ingest_halted") != std::string::npos;
    }));
    CHECK_FALSE(report.ready);
    CHECK(report.live);
    CHECK_THAT(reasons(report), Catch::Contains("not_json"));
  }
  // It came in batches of some size: less than a row of unfit records may have gone by.
  CHECK(std::stoi(fixture.db.value(all_letters)) < 50);
  CHECK(fixture.db.value("select count(*) from notify.ingest_suspects") == "0");
  config.ingest.breaker.enabled = false;
  running_pipeline pipeline{config};
  fixture.require_value(all_letters, "60");
  fixture.require_value(all_events, "6");
  CHECK(eventually([&] { return ask(pipeline).ready; }));
}

} // namespace
} // namespace notify::test
