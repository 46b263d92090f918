#include "tests/http/client.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tests/support/process.hpp"

#include <catch2/catch.hpp>

#include <csignal>
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

TEST_CASE("a running service prints its metrics") {
  postgres_fixture db;
  process program{words("run", db)};
  auto port = await_port(program);
  REQUIRE(port != 0);
  http::test::client client{port};
  client.get("/metrics");
  auto answer = client.read();
  CHECK(answer.status == 200);
  CHECK(answer.headers["content-type"].starts_with("text/plain; version=0.0.4"));
  CHECK(answer.body.find("# TYPE notify_kafka_records_total counter\n") != std::string::npos);
  CHECK(answer.body.find("notify_build_info{version=\"") != std::string::npos);
  program.send_signal(SIGTERM);
  CHECK(program.wait() == 0);
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

TEST_CASE("migrate makes the schema once, run refuses a database without it") {
  postgres_fixture db{postgres_fixture::schema::empty};
  process too_early{words("run", db)};
  CHECK(too_early.wait() == 3);
  CHECK(too_early.error_text().find("run 'notifyd migrate'") != std::string::npos);
  process first{words("migrate", db)};
  CHECK(first.wait() == 0);
  CHECK(first.output().find("applied 0001_initial\n") != std::string::npos);
  process again{words("migrate", db)};
  CHECK(again.wait() == 0);
  CHECK(again.output().find("applied") == std::string::npos);
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
