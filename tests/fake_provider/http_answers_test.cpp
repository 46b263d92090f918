#include "tests/fake_provider/fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>

// What a script can make of an HTTP answer, whatever the protocol.

namespace notify::fake::test {
namespace {

using notify::test::eventually;

TEST_CASE("status, headers and body are as the script says") {
  provider x{{}};
  x.set_script(R"([{"match": {"path": "/hooks"}, "action":
    {"status": 503, "headers": {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT", "X-A": "b"},
     "body": {"a": [1]}}}])");
  auto answer = ask(x.http_port(), post("/hooks/orders", "{}"));
  CHECK(answer.status == 503);
  CHECK(answer.headers.at("retry-after") == "Fri, 31 Dec 1999 23:59:59 GMT");
  CHECK(answer.headers.at("x-a") == "b");
  CHECK(answer.body == R"({"a":[1]})");
  CHECK_FALSE(x.records()[0].accepted);
  CHECK(ask(x.http_port(), telegram()).status == 200);
}

TEST_CASE("a connection serves several requests") {
  provider x{{}};
  client one{x.http_port()};
  for (auto i = 0; i < 3; ++i) {
    one.send(telegram());
    CHECK(one.read().status == 200);
  }
  CHECK(x.state().at("connections") == 1);
}

TEST_CASE("500 twice, then success") {
  provider x{{}};
  x.set_script(R"([{"times": 2, "action": {"status": 500}}])");
  CHECK(ask(x.http_port(), telegram()).status == 500);
  CHECK(ask(x.http_port(), telegram()).status == 500);
  CHECK(ask(x.http_port(), telegram()).status == 200);
  CHECK(x.tallies()[0].requests == 3);
  CHECK(x.tallies()[0].accepted == 1);
}

TEST_CASE("a close is told apart from an acceptance by when it comes") {
  for (const auto* at : {"request", "record"}) {
    provider x{{}};
    x.set_script(std::string{R"([{"action": {"do": "close", "at": ")"} + at + R"("}}])");
    client victim{x.http_port()};
    victim.send(telegram());
    CHECK(victim.is_closed());
    CHECK(x.records()[0].accepted == (std::string{at} == "record"));
    CHECK(x.records()[0].state == "closed");
    CHECK(x.records()[0].answered == 0);
  }
}

TEST_CASE("a reset reaches the client as one") {
  provider x{{}};
  x.set_script(R"([{"action": {"do": "reset"}}])");
  boost::asio::io_context io;
  boost::asio::ip::tcp::socket socket{io};
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), x.http_port()});
  socket.send(boost::asio::buffer(telegram()));
  char byte = 0;
  boost::system::error_code failed;
  socket.read_some(boost::asio::buffer(&byte, 1), failed);
  CHECK(failed == boost::asio::error::connection_reset);
  CHECK(x.records()[0].state == "reset");
}

TEST_CASE("a connection can end before anything is read") {
  provider x{{}};
  x.set_script(R"([{"match": {"protocol": "http"}, "times": 1,
                    "action": {"do": "close", "at": "connect"}}])");
  client victim{x.http_port()};
  CHECK(victim.is_closed());
  CHECK(x.records().empty());
  CHECK(ask(x.http_port(), telegram()).status == 200);
}

TEST_CASE("silence lasts until the client leaves") {
  provider x{{}};
  x.set_script(R"([{"action": {"do": "silence"}}])");
  {
    client victim{x.http_port()};
    victim.send(telegram());
    REQUIRE(eventually([&] { return !x.records().empty() && x.records()[0].state == "silent"; }));
    CHECK(x.records()[0].accepted);
    CHECK(x.state().at("connections") == 1);
  }
  CHECK(eventually([&] { return x.state().at("connections") == 0; }));
}

TEST_CASE("what waits is not accepted before its release") {
  provider x{{}};
  x.set_script(R"([{"action": {"do": "wait"}}])");
  client slow{x.http_port()};
  slow.send(telegram());
  REQUIRE(eventually([&] { return x.waiting() == 1; }));
  CHECK_FALSE(x.records()[0].accepted);
  x.release();
  CHECK(slow.read().status == 200);
  CHECK(x.records()[0].accepted);
}

TEST_CASE("a release lets go whom it names, in their order") {
  provider x{{}};
  x.set_script(R"([{"action": {"do": "hold"}}])");
  client first{x.http_port()};
  first.send(resend_mail("k1"));
  REQUIRE(eventually([&] { return x.waiting() == 1; }));
  client second{x.http_port()};
  second.send(resend_mail("k2"));
  REQUIRE(eventually([&] { return x.waiting() == 2; }));
  CHECK(x.release("k3") == 0);
  CHECK(x.release("k2") == 1);
  CHECK(second.read().status == 200);
  CHECK(x.records()[0].state == "waiting");
  CHECK(x.release("", 1) == 1);
  CHECK(first.read().status == 200);
}

TEST_CASE("an answer can be late, and its body can drip") {
  using namespace std::chrono;
  provider x{{}};
  x.set_script(R"([{"action": {"delay_ms": 30, "drip_ms": 10, "status": 200, "body": "abc"}}])");
  auto begun = steady_clock::now();
  auto answer = ask(x.http_port(), telegram());
  CHECK(answer.body == "abc");
  // Never sooner: a timer may be late only.
  CHECK(steady_clock::now() - begun >= milliseconds{60});
}

} // namespace
} // namespace notify::fake::test
