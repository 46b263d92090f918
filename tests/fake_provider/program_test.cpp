#include "tests/fake_provider/fixture.hpp"
#include "tests/support/process.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>

#include <csignal>

namespace notify::fake::test {
namespace {

using notify::test::process;

uint16_t port_of(const boost::json::object& line, const char* name) {
  return static_cast<uint16_t>(line.at(name).as_int64());
}

TEST_CASE("the program prints its ports, serves, and ends with 0 on SIGTERM") {
  process program{{FAKE_PROVIDER_PROGRAM, "--resend-key=right"}};
  REQUIRE(program.await_output("\n"));
  auto line = boost::json::parse(program.output()).as_object();
  CHECK(ask(port_of(line, "http"), telegram()).status == 200);
  CHECK(ask(port_of(line, "http"), resend_mail("k1")).status == 403);
  CHECK(mail_client{port_of(line, "smtp")}.send_mail("m1").starts_with("250"));
  client operator_of{port_of(line, "control")};
  operator_of.get("/counts");
  CHECK(operator_of.read().body.find(R"("requests":3,"accepted":2)") != std::string::npos);
  program.send_signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(program.error_text().empty());
}

TEST_CASE("a port that is taken ends the program with 1 and its name") {
  provider other{{}};
  auto port = std::to_string(other.smtp_port());
  process program{{FAKE_PROVIDER_PROGRAM, "--smtp-port=" + port}};
  CHECK(program.wait() == 1);
  CHECK(program.error_text()
        == "notify-fake-provider: cannot listen on 127.0.0.1, SMTP port " + port
               + ": Address already in use\n");
}

TEST_CASE("wrong usage ends the program with 2 and where help is") {
  for (const auto* word : {"--prot=1", "--http-port=99999", "--http-port=x", "--help-me",
                           "--webhook-secret=plain", "--address=localhost", "rest"}) {
    INFO(word);
    process program{{FAKE_PROVIDER_PROGRAM, word}};
    CHECK(program.wait() == 2);
    CHECK(program.error_text().find("--help") != std::string::npos);
    CHECK(program.error_text().find("plain") == std::string::npos);
  }
}

TEST_CASE("the program's help lists its options") {
  process program{{FAKE_PROVIDER_PROGRAM, "--help"}};
  CHECK(program.wait() == 0);
  for (const auto* word : {"--control-port", "--http-port", "--smtp-port", "--webhook-secret"})
    CHECK(program.output().find(word) != std::string::npos);
}

} // namespace
} // namespace notify::fake::test
