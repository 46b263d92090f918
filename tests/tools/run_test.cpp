#include "actors/inspection.hpp"
#include "http/token_list.hpp"
#include "tests/http/client.hpp"
#include "tests/notifyctl/ctl_run.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

// `notifyd run` and `notifyd migrate` against a real database. No broker is needed for these: a
// service without one is live, not ready, and stops in order all the same.

namespace notify {
namespace {

using test::postgres_fixture;
using test::process;

std::vector<std::string> words(const std::string& command, const postgres_fixture& db) {
  return {NOTIFYD_PROGRAM,
          command,
          std::string{"--config="} + NOTIFY_SOURCE_FOLDER + "/tools/config/notifyd.ini",
          "--postgres.url=" + db.url(),
          "--kafka.brokers=127.0.0.1:1",
          "--http.port=0"};
}

/// The port in the line that tells where HTTP listens; 0 if the program ended before.
uint16_t await_port(process& program) {
  const std::string text = "listening address=127.0.0.1 port=";
  if (!program.await_error_text(text))
    return 0;
  auto at = program.error_text().find(text) + text.size();
  return static_cast<uint16_t>(std::stoul(program.error_text().substr(at)));
}

/// A service that listens, with one more option if it is given. Ends with 0 on SIGTERM.
struct served {
  explicit served(const std::string& option = "--http.auth=token")
      : program(call(option)), port(await_port(program)), client(port) {}

  ~served() {
    program.send_signal(SIGTERM);
    CHECK(program.wait() == 0);
  }

  std::vector<std::string> call(const std::string& option) const {
    auto result = words("run", db);
    result.push_back(option);
    return result;
  }

  postgres_fixture db;
  process program;
  uint16_t port;
  http::test::client client;
};

TEST_CASE("a running service serves its health and ends with 0 on SIGTERM") {
  postgres_fixture db;
  process program{words("run", db)};
  auto port = await_port(program);
  INFO(program.error_text());
  REQUIRE(port != 0);
  http::test::client client{port};
  client.get("/health/live");
  CHECK(client.read().status == 200);
  client.get("/health/ready");
  auto ready = client.read();
  CHECK(ready.status == 503);
  CHECK(ready.body.find(R"("check":"kafka","ok":false)") != std::string::npos);
  program.send_signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(program.error_text().find("notifyd: stopped exit_code=0") != std::string::npos);
  CHECK(client.is_closed());
}

TEST_CASE("without tokens the API answers 401 and the log says what to do") {
  served x;
  auto& client = x.client;
  client.get("/api/v1/actors");
  auto got = client.read();
  CHECK(got.status == 401);
  CHECK(got.headers["www-authenticate"].starts_with("Bearer"));
  client.get("/");
  got = client.read();
  CHECK(got.status == 200);
  CHECK(got.headers["content-type"] == "text/html; charset=utf-8");
  CHECK(x.program.error_text().find("notifyd token NAME operator") != std::string::npos);
}

TEST_CASE("a developer's machine serves the API without a token, to requests by its own name") {
  served x{"--http.auth=none"};
  auto get = [&](const std::string& host) {
    x.client.send("GET /api/v1/actors HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return x.client.read();
  };
  auto tree = get("localhost:" + std::to_string(x.port));
  CHECK(tree.status == 200);
  CHECK(tree.body.find(R"("name":"job-dispatcher")") != std::string::npos);
  CHECK(get("evil.example").status == 403);
}

TEST_CASE("a running service prints its metrics") {
  served x;
  x.client.get("/metrics");
  auto answer = x.client.read();
  CHECK(answer.status == 200);
  CHECK(answer.headers["content-type"].starts_with("text/plain; version=0.0.4"));
  CHECK(answer.body.find("# TYPE notify_kafka_records_total counter\n") != std::string::npos);
  CHECK(answer.body.find("notify_build_info{version=\"") != std::string::npos);
}

TEST_CASE("metrics can be kept for callers with a token") {
  served x{"--http.metrics-need-token=true"};
  x.client.get("/metrics");
  CHECK(x.client.read().status == 401);
  // What a prober asks stays open.
  x.client.get("/health/live");
  CHECK(x.client.read().status == 200);
}

TEST_CASE("SIGHUP lets in who has a token now, and nobody else") {
  test::temp_folder folder;
  auto token = http::make_token();
  auto write = [&](const std::string& text) {
    auto file = folder.write("tokens", text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_read
                                           | std::filesystem::perms::owner_write);
    return file;
  };
  served x{"--http.tokens-file=" + write("")};
  auto status = [&] {
    x.client.get("/api/v1/actors", "Authorization: Bearer " + token + "\r\n");
    return x.client.read().status;
  };
  auto reload = [&](const std::string& outcome) {
    x.program.send_signal(SIGHUP);
    REQUIRE(x.program.await_error_text(outcome));
  };
  CHECK(status() == 401);
  write(http::token_line("vera", http::access::viewer, token) + "\n");
  CHECK(status() == 401);
  reload("http.tokens-file: 1 tokens");
  CHECK(status() == 200);
  write("vera viewer\n");
  reload("settings not reloaded, those before stay in effect");
  CHECK(status() == 200);
  write("# nobody\n");
  reload("http.tokens-file: 0 tokens");
  CHECK(status() == 401);
}

TEST_CASE("a service whose HTTP address is taken ends with 1 and says which") {
  postgres_fixture db;
  process first{words("run", db)};
  auto port = await_port(first);
  REQUIRE(port != 0);
  auto same_port = words("run", db);
  same_port.back() = "--http.port=" + std::to_string(port);
  process second{same_port};
  CHECK(second.wait() == 1);
  CHECK(second.error_text().find("cannot listen on http.address 127.0.0.1, http.port "
                                 + std::to_string(port) + ": Address already in use")
        != std::string::npos);
  first.send_signal(SIGINT);
  CHECK(first.wait() == 0);
}

TEST_CASE("D-E7 run refuses a schema that is behind and says what to run") {
  postgres_fixture db{postgres_fixture::schema::empty};
  process too_early{words("run", db)};
  CHECK(too_early.wait() == 3);
  CHECK(too_early.error_text().find("the database has schema version 0, this program needs ")
        != std::string::npos);
  CHECK(too_early.error_text().find("run 'notifyd migrate'") != std::string::npos);
}

TEST_CASE("migrate --status tells what is to be done, and does nothing") {
  postgres_fixture db{postgres_fixture::schema::empty};
  auto ask = words("migrate", db);
  ask.push_back("--status");
  process behind{ask};
  CHECK(behind.wait() == 3);
  CHECK(behind.output().find("version 0\nwanted ") == 0u);
  CHECK(behind.output().find("\npending 0001_initial\n") != std::string::npos);
  CHECK(db.value("select count(*) from pg_namespace where nspname = 'notify'") == "0");
  process migration{words("migrate", db)};
  CHECK(migration.wait() == 0);
  process done{ask};
  CHECK(done.wait() == 0);
  CHECK(done.output().find("pending") == std::string::npos);
}

TEST_CASE("migrate makes the schema once") {
  postgres_fixture db{postgres_fixture::schema::empty};
  process first{words("migrate", db)};
  CHECK(first.wait() == 0);
  CHECK(first.output().find("applied 0001_initial\n") != std::string::npos);
  process again{words("migrate", db)};
  CHECK(again.wait() == 0);
  CHECK(again.output().find("applied") == std::string::npos);
}

/// A port that was free a moment ago.
uint16_t free_port() {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor probe{io, {boost::asio::ip::address_v4::loopback(), 0}};
  return probe.local_endpoint().port();
}

TEST_CASE(
    "the actors of a running service are seen at inspection.port, and it stops all the same") {
  postgres_fixture db;
  auto port = std::to_string(free_port());
  auto call = words("run", db);
  call.push_back("--inspection.port=" + port);
  process program{call};
  REQUIRE(await_port(program) != 0);
  auto address = "--address=127.0.0.1:" + port;
  test::ctl_outcome tree;
  REQUIRE(test::eventually([&] { // It opens after HTTP.
    tree = test::notifyctl({"actors", address});
    return tree.code == 0;
  }));
  for (const auto* name : {"root", "  inspector", "  consumer", "    delivery-worker-email-15"})
    CHECK(test::contains(tree.out, "\n" + std::string{name} + " "));
  // Every kind of actor answers, and says what it is at.
  inspection_client client{"127.0.0.1", static_cast<uint16_t>(std::stoul(port))};
  std::string silent;
  CHECK(test::eventually([&] {
    auto all = client.look(caf::duration{std::chrono::seconds{5}});
    silent = all ? "" : "everybody";
    if (all)
      for (const auto& x : all->lines)
        if (!x.answered || x.status.state.empty())
          silent += x.status.name + " ";
    return silent.empty();
  }));
  INFO(silent);
  // A client that is connected does not hold the process.
  program.send_signal(SIGTERM);
  CHECK(program.wait() == 0);
}

TEST_CASE("a service whose inspection port is taken ends with 1 and says which") {
  postgres_fixture db;
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor other{io, {boost::asio::ip::address_v4::loopback(), 0}};
  auto port = std::to_string(other.local_endpoint().port());
  auto call = words("run", db);
  call.push_back("--inspection.port=" + port);
  process program{call};
  CHECK(program.wait() == 1);
  CHECK(program.error_text().find("inspection.port " + port) != std::string::npos);
}

TEST_CASE("a schema newer than the program is refused with 3") {
  postgres_fixture db;
  db.query("insert into notify.schema_migrations select (json_populate_record(x, '{\"version\": "
           "99}')).* from notify.schema_migrations x limit 1");
  for (auto command : {"run", "migrate"}) {
    process program{words(command, db)};
    CHECK(program.wait() == 3);
    CHECK(program.error_text().find("the database has version 99") != std::string::npos);
  }
}

} // namespace
} // namespace notify
