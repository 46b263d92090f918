#include "messages/error.hpp"
#include "tests/http/client.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <future>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace notify::http {
namespace {

using namespace std::chrono_literals;
using test::client;
using test::server_fixture;

struct answering_fixture : server_fixture {
  answering_fixture() {
    routes.add("GET", "/", access::open, [](const request&, const responder& respond) {
      respond({200, "text/plain", "hello", {}});
    });
    routes.add("GET", "/later", access::open,
               [this](const request&, responder respond) { asked.set_value(std::move(respond)); });
  }

  std::promise<responder> asked; ///< Gets the responder of the first request for /later.
};

TEST_CASE_METHOD(answering_fixture, "a connection serves one request after the other") {
  start();
  client x{running->port()};
  for (auto i = 0; i < 3; ++i) {
    x.get("/");
    auto got = x.read();
    CHECK(got.status == 200);
    CHECK(got.body == "hello");
    CHECK(got.headers.count("connection") == 0);
  }
}

TEST_CASE_METHOD(answering_fixture, "requests that come at once are answered in order") {
  start();
  client x{running->port()};
  auto one = std::string{"GET / HTTP/1.1\r\nHost: a\r\n\r\n"};
  x.send(one + "GET /none HTTP/1.1\r\nHost: a\r\n\r\n" + one);
  CHECK(x.read().status == 200);
  CHECK(x.read().status == 404);
  CHECK(x.read().status == 200);
}

TEST_CASE_METHOD(answering_fixture, "a client that does not keep the connection gets it closed") {
  start();
  client asks{running->port()};
  asks.get("/", "Connection: close\r\n");
  CHECK(asks.read().headers["connection"] == "close");
  CHECK(asks.is_closed());
  client old{running->port()};
  old.send("GET / HTTP/1.0\r\n\r\n");
  CHECK(old.read().status == 200);
  CHECK(old.is_closed());
}

TEST_CASE_METHOD(answering_fixture, "every answer has security headers and no version") {
  start();
  client x{running->port()};
  for (auto path : {"/", "/none"}) {
    x.get(path);
    auto headers = x.read().headers;
    CHECK(headers["server"] == "notifyd");
    CHECK(headers["cache-control"] == "no-store");
    CHECK(headers["x-content-type-options"] == "nosniff");
    CHECK(headers["x-frame-options"] == "DENY");
    CHECK(headers["referrer-policy"] == "no-referrer");
    CHECK(headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'");
    CHECK(headers["date"].ends_with(" GMT"));
  }
}

TEST_CASE_METHOD(answering_fixture, "a page may load what is ours and nothing else") {
  routes.add("GET", "/page", access::open, [](const request&, const responder& respond) {
    respond({200, "text/html; charset=utf-8", "<p>", {}});
  });
  start();
  client x{running->port()};
  x.get("/page");
  auto policy = x.read().headers["content-security-policy"];
  CHECK(policy.starts_with("default-src 'self'; "));
  CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
  CHECK(policy.find("unsafe") == std::string::npos);
}

TEST_CASE_METHOD(answering_fixture,
                 "every answer is told to whoever counts, by its route's pattern") {
  std::vector<answered> seen;
  std::mutex mutex;
  routes.add("GET", "/things/{id}", access::open, [](const request&, const responder& respond) {
    respond({200, "text/plain", "1234", {}});
  });
  running = std::move(*server::start(io, config, routes, [&](const answered& x) {
    std::lock_guard guard{mutex};
    seen.push_back(x);
  }));
  client x{running->port()};
  x.get("/things/7");
  x.read();
  x.send("INVENTED /things/7 HTTP/1.1\r\nHost: a\r\n\r\n");
  x.read();
  x.get("/nowhere");
  x.read();
  x.send("nonsense\r\n\r\n");
  x.read();
  stop();
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].route == "/things/{id}");
  CHECK(seen[0].method == "GET");
  CHECK(seen[0].status == 200);
  CHECK(seen[0].bytes == 4);
  CHECK(seen[0].seconds >= 0);
  CHECK(seen[0].seconds < 60);
  CHECK(seen[1].method == "other");
  CHECK(seen[1].status == 405);
  CHECK(seen[2].route.empty());
  CHECK(seen[2].status == 404);
  CHECK(seen[3].route.empty());
  CHECK(seen[3].method.empty());
  CHECK(seen[3].status == 400);
}

TEST_CASE_METHOD(answering_fixture, "a handler may answer later and from another thread") {
  start();
  client x{running->port()};
  x.get("/later");
  auto respond = asked.get_future().get();
  std::thread{[&] { respond({200, "text/plain", "at last", {}}); }}.join();
  CHECK(x.read().body == "at last");
}

TEST_CASE_METHOD(answering_fixture, "only the first answer counts") {
  start();
  client x{running->port()};
  x.get("/later");
  auto respond = asked.get_future().get();
  respond({200, "text/plain", "first", {}});
  respond({200, "text/plain", "second", {}});
  CHECK(x.read().body == "first");
  respond({200, "text/plain", "third", {}});
  x.get("/");
  CHECK(x.read().body == "hello");
}

TEST_CASE_METHOD(answering_fixture, "a handler that does not answer in time is answered for") {
  config.answer_timeout = 50ms;
  start();
  client x{running->port()};
  x.get("/later");
  auto respond = asked.get_future().get();
  auto got = x.read();
  CHECK(got.status == 503);
  CHECK(got.body.find(R"("code":"UNAVAILABLE")") != std::string::npos);
  // Too late: it must not become the answer to the next request.
  respond({200, "text/plain", "late", {}});
  x.get("/");
  CHECK(x.read().body == "hello");
}

TEST_CASE_METHOD(answering_fixture, "a handler that throws costs one answer, not the server") {
  routes.add("GET", "/broken", access::open,
             [](const request&, const responder&) { throw std::runtime_error{"secret detail"}; });
  start();
  client x{running->port()};
  x.get("/broken");
  auto got = x.read();
  CHECK(got.status == 500);
  CHECK(got.body.find("secret") == std::string::npos);
  x.get("/");
  CHECK(x.read().status == 200);
}

TEST_CASE_METHOD(answering_fixture,
                 "a stop lets an open request finish and closes idle connections") {
  start();
  auto port = running->port();
  client idle{port};
  idle.get("/");
  CHECK(idle.read().status == 200);
  client busy{port};
  busy.get("/later");
  auto respond = asked.get_future().get();
  std::promise<void> stopped;
  auto is_stopped = stopped.get_future();
  running->stop([&stopped] { stopped.set_value(); });
  CHECK(idle.is_closed());
  CHECK_THROWS(client{port});
  CHECK(is_stopped.wait_for(0s) == std::future_status::timeout);
  respond({200, "text/plain", "finished", {}});
  auto got = busy.read();
  CHECK(got.body == "finished");
  CHECK(got.headers["connection"] == "close");
  CHECK(busy.is_closed());
  is_stopped.wait();
}

TEST_CASE_METHOD(answering_fixture, "a stop does not wait for ever for an open request") {
  config.drain_timeout = 50ms;
  start();
  client busy{running->port()};
  busy.get("/later");
  auto respond = asked.get_future().get();
  stop();
  CHECK(busy.is_closed());
  // The server is gone: the answer goes nowhere, harmlessly.
  respond({});
}

TEST_CASE_METHOD(answering_fixture, "a stop can be asked for twice") {
  start();
  std::promise<void> first;
  running->stop([&first] { first.set_value(); });
  first.get_future().wait();
  stop();
}

TEST_CASE_METHOD(answering_fixture, "an address that is taken or not ours is told") {
  start();
  auto second = config;
  second.port = running->port();
  auto taken = server::start(io, second, routes);
  REQUIRE_FALSE(taken);
  CHECK(taken.error() == ec::listen_failed);
  CHECK(render(taken.error())
        == "listen_failed(\"cannot listen on http.address 127.0.0.1, http.port "
               + std::to_string(second.port) + ": Address already in use\")");
  second.address = "192.0.2.1";
  auto foreign = server::start(io, second, routes);
  REQUIRE_FALSE(foreign);
  CHECK(render(foreign.error()).find("Cannot assign requested address") != std::string::npos);
}

} // namespace
} // namespace notify::http
