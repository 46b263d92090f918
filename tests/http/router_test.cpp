#include "tests/http/client.hpp"

#include <catch2/catch.hpp>

namespace notify::http {
namespace {

using test::client;
using test::server_fixture;

struct router_fixture : server_fixture {
  router_fixture() {
    routes.add("GET", "/things", [](const request& x, const responder& respond) {
      respond({200,
               "text/plain",
               "query:" + x.query + " accept:" + std::string{x.header("ACCEPT")},
               {}});
    });
    routes.add("POST", "/things", [](const request& x, const responder& respond) {
      respond({201, "text/plain", "body:" + x.body, {{"Location", "/things/1"}}});
    });
    start();
  }
};

TEST_CASE_METHOD(router_fixture, "a path and method lead to their handler") {
  client x{running->port()};
  x.get("/things?a=b&c", "Accept: text/plain\r\n");
  auto got = x.read();
  CHECK(got.status == 200);
  CHECK(got.body == "query:a=b&c accept:text/plain");
  CHECK(got.headers["content-type"] == "text/plain");
  x.send("POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
  got = x.read();
  CHECK(got.status == 201);
  CHECK(got.body == "body:hello");
  CHECK(got.headers["location"] == "/things/1");
}

TEST_CASE_METHOD(router_fixture, "an unknown path is answered 404 in the API's form") {
  client x{running->port()};
  for (auto path : {"/", "/thing", "/things/", "/things/1", "//things"}) {
    x.get(path);
    auto got = x.read();
    CHECK(got.status == 404);
    CHECK(got.headers["content-type"] == "application/json");
    CHECK(
        got.body
        == R"({"error":{"code":"NOT_FOUND","message":"There is nothing at this path.","details":{}}})");
  }
}

TEST_CASE_METHOD(router_fixture, "a wrong method is answered 405 with the right ones") {
  client x{running->port()};
  x.send("DELETE /things HTTP/1.1\r\nHost: a\r\n\r\n");
  auto got = x.read();
  CHECK(got.status == 405);
  CHECK(got.headers["allow"] == "GET, HEAD, POST");
  CHECK(got.body.find(R"("code":"METHOD_NOT_ALLOWED")") != std::string::npos);
  x.send("INVENTED /things HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(x.read().status == 405);
}

TEST_CASE_METHOD(router_fixture, "HEAD gets the headers of GET and no body") {
  client x{running->port()};
  x.send("HEAD /things HTTP/1.1\r\nHost: a\r\n\r\n");
  auto got = x.read(false);
  CHECK(got.status == 200);
  CHECK(got.headers["content-length"] == "14");
  // A body would now be read as the start of the next answer.
  x.get("/things");
  CHECK(x.read().body == "query: accept:");
}

} // namespace
} // namespace notify::http
