#include "tests/http/client.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <future>

// What a client cannot do to the server.

namespace notify::http {
namespace {

using namespace std::chrono_literals;
using test::client;
using test::server_fixture;

struct limits_fixture : server_fixture {
  limits_fixture() {
    config.header_limit = 1024;
    config.body_limit = 100;
    routes.add("GET", "/", access::open,
               [](const request&, const responder& respond) { respond({}); });
    routes.add("POST", "/", access::open, [](const request& x, const responder& respond) {
      respond({200, "text/plain", std::to_string(x.body.size()), {}});
    });
  }

  /// Sends bytes and expects a refusal, after which the connection ends.
  void check_refusal(const std::string& bytes, int status, const std::string& code) {
    client x{running->port()};
    x.send(bytes);
    auto got = x.read();
    INFO(bytes.substr(0, 100));
    CHECK(got.status == status);
    CHECK(got.body.find("{\"error\":{\"code\":\"" + code + "\"") == 0u);
    CHECK(got.headers["connection"] == "close");
    CHECK(x.is_closed());
  }
};

TEST_CASE_METHOD(limits_fixture, "a header within the limit is taken, a larger one refused") {
  start();
  client x{running->port()};
  x.get("/", "X: " + std::string(900, 'a') + "\r\n");
  CHECK(x.read().status == 200);
  check_refusal("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'a') + "\r\n\r\n", 431,
                "HEADERS_TOO_LARGE");
  check_refusal("GET /" + std::string(2000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 431,
                "HEADERS_TOO_LARGE");
}

TEST_CASE_METHOD(limits_fixture, "a header far beyond every buffer is refused all the same") {
  start();
  check_refusal("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(200'000, 'a') + "\r\n\r\n", 431,
                "HEADERS_TOO_LARGE");
}

TEST_CASE_METHOD(limits_fixture, "a body within the limit is taken, a larger one refused") {
  start();
  client x{running->port()};
  x.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'b'));
  CHECK(x.read().body == "100");
  check_refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'b'),
                413, "PAYLOAD_TOO_LARGE");
  // Announced, not even sent.
  check_refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n", 413,
                "PAYLOAD_TOO_LARGE");
  check_refusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nc8\r\n"
                    + std::string(200, 'b') + "\r\n0\r\n\r\n",
                413, "PAYLOAD_TOO_LARGE");
}

TEST_CASE_METHOD(limits_fixture, "what is no HTTP request is refused") {
  start();
  for (auto bytes :
       {"nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nHost a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"})
    check_refusal(bytes, 400, "BAD_REQUEST");
}

TEST_CASE_METHOD(limits_fixture, "a client that sends too slowly is cut off") {
  config.read_timeout = 50ms;
  start();
  client half_header{running->port()};
  half_header.send("GET / HTTP/1.1\r\nHo");
  CHECK(half_header.is_closed());
  client half_body{running->port()};
  half_body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
  CHECK(half_body.is_closed());
}

TEST_CASE_METHOD(limits_fixture, "an idle connection is closed") {
  config.idle_timeout = 50ms;
  start();
  client never_asked{running->port()};
  CHECK(never_asked.is_closed());
  client asked_once{running->port()};
  asked_once.get("/");
  CHECK(asked_once.read().status == 200);
  CHECK(asked_once.is_closed());
}

TEST_CASE_METHOD(limits_fixture, "at the limit of connections an idle one gives way") {
  config.max_connections = 1;
  start();
  client idle{running->port()};
  idle.get("/");
  CHECK(idle.read().status == 200);
  client next{running->port()};
  next.get("/");
  CHECK(next.read().status == 200);
  CHECK(idle.is_closed());
}

TEST_CASE_METHOD(limits_fixture, "at the limit of connections a further one waits for a busy one") {
  config.max_connections = 1;
  std::promise<responder> asked;
  routes.add("GET", "/slow", access::open,
             [&](const request&, responder respond) { asked.set_value(std::move(respond)); });
  start();
  client busy{running->port()};
  busy.get("/slow");
  auto respond = asked.get_future().get();
  client waiting{running->port()};
  waiting.get("/");
  respond({});
  CHECK(busy.read().status == 200);
  CHECK(waiting.read().status == 200);
}

TEST_CASE_METHOD(limits_fixture, "a body that waits for permission gets it") {
  start();
  client x{running->port()};
  x.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  CHECK(x.read().status == 100);
  x.send("abc");
  CHECK(x.read().body == "3");
}

TEST_CASE_METHOD(limits_fixture, "a client of HTTP/1.0 gets no answer before the answer") {
  start();
  client x{running->port()};
  x.send("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  CHECK(x.read().body == "3");
}

TEST_CASE_METHOD(limits_fixture,
                 "requests that come byte by byte, or two at once, are read the same") {
  start();
  client x{running->port()};
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
  for (char byte : post)
    x.send({byte});
  CHECK(x.read().body == "3");
  x.send(post
         + "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
           "2\r\nab\r\n5\r\ncdefg\r\n0\r\n\r\n");
  CHECK(x.read().body == "3");
  CHECK(x.read().body == "7");
}

} // namespace
} // namespace notify::http
