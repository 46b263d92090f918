#include "tests/notifyctl/ctl_run.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tests/support/private_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

// Whatever goes wrong with the database, its password is in no output.

namespace notify {
namespace {

using test::contains;
using test::ctl_outcome;
using test::notifyctl;

constexpr const char* secret = "wr0ng-s3cret";

/// Every command that connects to a database, with what it needs to get that far.
std::vector<std::vector<std::string>> commands_with_a_database() {
  const std::string routes = NOTIFY_SOURCE_FOLDER "/tools/config/routes.json";
  return {
      {"offsets", "reset", "--to=ledger", "--brokers=127.0.0.1:1", "--timeout=1"},
      {"offsets", "skip", "--partition=0", "--offset=1", "--brokers=127.0.0.1:1", "--timeout=1"},
      {"replay", "--from=0", "--partition=0", "--brokers=127.0.0.1:1", "--timeout=1",
       "--routes=" + routes},
      {"dead-letters", "list"},
      {"dead-letters", "show", "1"},
      {"dead-letters", "replay", "--all", "--routes=" + routes},
      {"doctor", "--brokers=127.0.0.1:1", "--timeout=1"},
  };
}

void check_notifyctl(const std::string& option) {
  for (auto words : commands_with_a_database()) {
    words.push_back(option);
    INFO(words[0] << ' ' << words[1]);
    auto result = notifyctl(words);
    CHECK(result.code != cli::success);
    CHECK_FALSE(result.all().empty());
    CHECK_FALSE(contains(result.all(), secret));
  }
}

std::string check_notifyd(const std::string& command, const std::string& config) {
  test::process program{{NOTIFYD_PROGRAM, command, config}};
  program.wait();
  auto all = program.output() + program.error_text();
  CHECK_FALSE(contains(all, secret));
  return all;
}

std::string settings_with(const std::string& url, uint16_t port) {
  const std::string config = NOTIFY_SOURCE_FOLDER "/tools/config/";
  return "[service]\nroutes-file=\"" + config + "routes.json\"\ntemplates-folder=\"" + config
         + "templates\"\n[postgres]\nurl=\"" + url + "\"\n[kafka]\nbrokers=[\"127.0.0.1:1\"]\n"
         + "[http]\nport=" + std::to_string(port) + "\n";
}

TEST_CASE("D-E8 no secret in any output if the database cannot be reached") {
  auto query = GENERATE(true, false);
  auto url = query ? std::string{"postgresql://u@127.0.0.1:1/x?password="} + secret
                   : std::string{"postgresql://u:"} + secret + "@127.0.0.1:1/x";
  test::temp_folder folder;
  auto config = "--config=" + folder.write("notifyd.ini", settings_with(url, 0));
  check_notifyctl(config);
  for (const auto* command : {"run", "migrate", "check"})
    check_notifyd(command, config);
  // On a command line it is refused, and not repeated.
  check_notifyctl("--postgres=" + url);
}

TEST_CASE("D-E8 no secret in any output if the URL cannot be read") {
  test::temp_folder folder;
  for (const auto* rest : {"@127.0.0.1:port/x", "@[::1/x", " @127.0.0.1/x", "%zz@127.0.0.1:1/x",
                           "@127.0.0.1:1/x?nonsense=1"}) {
    INFO(rest);
    auto url = std::string{"postgresql://u:"} + secret + rest;
    auto config = "--config=" + folder.write("notifyd.ini", settings_with(url, 0));
    check_notifyctl(config);
    for (const auto* command : {"run", "migrate", "check"})
      check_notifyd(command, config);
    check_notifyctl("--postgres=" + url);
  }
}

TEST_CASE("D-E8 no secret in any output if the password is wrong") {
  test::private_postgres server;
  test::postgres_fixture db{server.url()};
  db.query("create role notify login password 'right'");
  auto file = db.value("show hba_file");
  db.query("copy (values ('host all notify 127.0.0.1/32 scram-sha-256'), "
           "('host all all 127.0.0.1/32 trust')) to '"
           + file + "'");
  db.query("select pg_reload_conf()");
  auto place = "@127.0.0.1:" + std::to_string(server.port()) + "/" + db.name();
  test::temp_folder folder;
  auto config =
      "--config="
      + folder.write("notifyd.ini",
                     settings_with("postgresql://notify:" + std::string{secret} + place, 0));
  constexpr const char* refused = "password authentication failed";
  // The server reads its file again in its own time.
  REQUIRE(test::eventually([&] {
    return contains(notifyctl({"dead-letters", "list", config}).err, refused);
  }));
  CHECK(contains(check_notifyd("run", config), refused));
  CHECK(contains(check_notifyd("migrate", config), "password authentication failed"));
  check_notifyctl(config);
  CHECK(
      contains(notifyctl({"dead-letters", "list", config}).err, "password authentication failed"));
  setenv("NOTIFYD_POSTGRES_PASSWORD", secret, 1);
  check_notifyctl("--postgres=postgresql://notify" + place);
  unsetenv("NOTIFYD_POSTGRES_PASSWORD");
}

} // namespace
} // namespace notify
