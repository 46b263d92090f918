#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>

// SIGHUP: the same file and the same command line, read again by the running process.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

constexpr auto sent_jobs = "select count(*) from notify.notifications where status = 'sent'";

std::string route(const std::string& event_type, const std::string& template_key) {
  return R"({"event_type":")" + event_type
         + R"(","channel":"email","recipient":"email","template":")" + template_key + R"("})";
}

std::string routes_of(const std::vector<std::string>& list) {
  std::string result;
  for (const auto& x : list)
    result += (result.empty() ? "" : ",") + x;
  return R"({"routes":[)" + result + "]}";
}

/// `notifyd` with a file of settings that the test changes.
struct reload_fixture {
  reload_fixture() {
    write_routes({route("order.paid.v1", "order-paid.v1")});
    write_settings("[channel-email]\nslots=2\n");
  }

  void write_routes(const std::vector<std::string>& list) {
    folder.write("routes.json", routes_of(list));
  }

  void write_settings(const std::string& text) { folder.write("notifyd.ini", text); }

  std::vector<std::string> arguments() const {
    auto words = pipeline.arguments("one");
    std::erase_if(words, [](const auto& x) { return x.starts_with("--service.routes-file="); });
    words.push_back("--service.routes-file=" + (folder.path() / "routes.json").string());
    words.push_back("--config=" + (folder.path() / "notifyd.ini").string());
    return words;
  }

  void publish(const std::string& type) {
    sample::choices choices;
    choices.type = type;
    pipeline.publish({pipeline_fixture::event(choices)});
  }

  static size_t count(const daemon& program, const std::string& text) {
    auto output = program.output();
    size_t result = 0;
    for (auto at = output.find(text); at != std::string::npos; at = output.find(text, at + 1))
      ++result;
    return result;
  }

  static bool says(const daemon& program, const std::string& text, size_t times = 1) {
    return eventually([&] { return count(program, text) >= times; });
  }

  pipeline_fixture pipeline;
  temp_folder folder;
};

TEST_CASE("SIGHUP brings new routes, slots, rates and levels, and names what needs a restart") {
  reload_fixture fixture;
  daemon program{"notifyd", fixture.arguments()};
  fixture.publish("order.paid.v1");
  fixture.pipeline.require_value(sent_jobs, "1");
  fixture.publish("order.created.v1"); // Without a route yet.
  fixture.pipeline.require_value("select count(*) from notify.inbox_events", "2");
  CHECK(fixture.count(program, "would send") == 0); // A debug line.

  fixture.write_routes(
      {route("order.paid.v1", "order-paid.v1"), route("order.created.v1", "order-created.v1")});
  fixture.write_settings("[channel-email]\nslots=5\nrate=1000\n[logging]\nlevel=\"debug\"\n"
                         "[delivery]\nresult-batch=77\n[http]\nport=0\n");
  program.signal(SIGHUP);
  REQUIRE(fixture.says(program, "settings reloaded"));
  CHECK(fixture.says(program, "routes: 2 event types"));
  CHECK(fixture.says(program, "channel-email: slots 2, prefetch 16, concurrency 2, rate 0 -> "
                              "slots 5, prefetch 16, concurrency 5, rate 1000"));
  CHECK(fixture.says(program, "\"options\":\"delivery.result-batch\""));
  fixture.publish("order.created.v1");
  fixture.pipeline.require_value(sent_jobs, "2");
  CHECK(fixture.says(program, "would send"));
  fixture.pipeline.require_value(
      "select count(*) from notify.audit_log where action = 'settings.reload'"
      " and actor = 'SIGHUP' and target = 'one'"
      " and details->'need_restart' = '[\"delivery.result-batch\"]'",
      "1");
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
}

TEST_CASE("SIGHUP brings new templates") {
  reload_fixture fixture;
  auto templates = fixture.folder.path() / "templates";
  std::filesystem::copy(NOTIFY_SOURCE_DIR "/tools/config/templates", templates,
                        std::filesystem::copy_options::recursive);
  auto words = fixture.arguments();
  std::erase_if(words, [](const auto& x) { return x.starts_with("--service.templates-folder="); });
  words.push_back("--service.templates-folder=" + templates.string());
  daemon program{"notifyd", words};
  fixture.publish("order.paid.v1");
  fixture.pipeline.require_value(sent_jobs, "1");

  std::filesystem::copy(templates / "order-paid.v1", templates / "order-paid.v2",
                        std::filesystem::copy_options::recursive);
  fixture.write_routes({route("order.paid.v1", "order-paid.v2")});
  program.signal(SIGHUP);
  REQUIRE(fixture.says(program, "settings reloaded"));
  CHECK(fixture.says(program, "\"change\":\"templates\""));
  fixture.publish("order.paid.v1");
  fixture.pipeline.require_value(
      "select count(*) from notify.notifications where status = 'sent' and template_key ="
      " 'order-paid.v2'",
      "1");
  // The same files again are no change.
  program.signal(SIGHUP);
  REQUIRE(fixture.says(program, "settings reloaded", 2));
  CHECK(fixture.count(program, "\"change\":\"templates\"") == 1);
  // A text that cannot be read changes nothing.
  fixture.folder.write("templates/order-paid.v2/en/text.mustache", "{{#open}}");
  program.signal(SIGHUP);
  REQUIRE(fixture.says(program, "settings not reloaded, those before stay in effect"));
  CHECK(fixture.says(program, "order-paid.v2/en/text.mustache"));
  fixture.publish("order.paid.v1");
  fixture.pipeline.require_value(sent_jobs, "3");
}

TEST_CASE("settings that are not valid change nothing, and the log says all that is wrong") {
  reload_fixture fixture;
  daemon program{"notifyd", fixture.arguments()};
  fixture.publish("order.paid.v1");
  fixture.pipeline.require_value(sent_jobs, "1");

  fixture.write_settings("[channel-email]\nslots=0\nrate=\"much\"\n");
  program.signal(SIGHUP);
  REQUIRE(fixture.says(program, "settings not reloaded, those before stay in effect", 2));
  CHECK(fixture.says(program, "channel-email.slots"));
  CHECK(fixture.says(program, "channel-email.rate"));

  // Fine settings with routes that are not.
  fixture.write_settings("[channel-email]\nslots=7\n");
  fixture.write_routes({route("order.paid.v1", "order-paid.v1"), route("a.v1", "no-such.v1"),
                        route("b.v1", "no-such-either.v1")});
  program.signal(SIGHUP);
  REQUIRE(fixture.says(program, "settings not reloaded, those before stay in effect", 4));
  CHECK(fixture.says(program, "no-such.v1"));
  CHECK(fixture.says(program, "no-such-either.v1"));
  CHECK(fixture.count(program, "settings reloaded") == 0);
  CHECK(fixture.count(program, "setting applied") == 0);
  fixture.publish("order.paid.v1");
  fixture.pipeline.require_value(sent_jobs, "2");

  // And it is not too late.
  fixture.write_routes({route("order.paid.v1", "order-paid.v1")});
  program.signal(SIGHUP);
  REQUIRE(fixture.says(program, "slots 2, prefetch 16, concurrency 2, rate 0 -> slots 7"));
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
}

TEST_CASE("SIGHUP during the start or the stop ends nothing") {
  reload_fixture fixture;
  daemon program{"notifyd", fixture.arguments()};
  REQUIRE(fixture.says(program, "\"starting\""));
  for (int i = 0; i < 20; ++i)
    program.signal(SIGHUP);
  fixture.publish("order.paid.v1");
  fixture.pipeline.require_value(sent_jobs, "1");
  program.signal(SIGTERM);
  program.signal(SIGHUP);
  CHECK(program.wait() == 0);
}

} // namespace
} // namespace notify::test
