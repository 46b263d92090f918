#include "tests/http/client.hpp"

#include <catch2/catch.hpp>

namespace notify::http {
namespace {

using test::client;
using test::server_fixture;

struct router_fixture : server_fixture {
  router_fixture() {
    routes.add("GET", "/things", access::open, [](const request& x, const responder& respond) {
      respond({200,
               "text/plain",
               "query:" + x.query + " accept:" + std::string{x.header("ACCEPT")},
               {}});
    });
    routes.add("POST", "/things", access::open, [](const request& x, const responder& respond) {
      respond({201, "text/plain", "body:" + x.body, {{"Location", "/things/1"}}});
    });
    start();
  }
};

/// What the router itself answers to a request, with everybody let in.
std::string route(const router& routes, const std::string& method, const std::string& path) {
  request x;
  x.method = method;
  x.path = path;
  std::string result;
  routes(x, [&](const response& y) { result = std::to_string(y.status) + " " + y.body; });
  return result;
}

/// Routes that answer with their name and parameters.
struct pattern_fixture {
  void add(const std::string& method, const std::string& pattern) {
    routes.add(method, pattern, access::open, [](const request& x, const responder& respond) {
      auto text = x.route;
      for (const auto& [name, value] : x.params)
        text += " " + name + "=" + value;
      respond({200, "text/plain", text, {}});
    });
  }

  router routes;
};

TEST_CASE_METHOD(pattern_fixture, "a segment in braces takes any text and hands it over decoded") {
  add("GET", "/things/{id}");
  add("GET", "/things/{id}/parts/{part}");
  CHECK(route(routes, "GET", "/things/7") == "200 /things/{id} id=7");
  CHECK(route(routes, "GET", "/things/a%2Fb%20%C3%A9+") == "200 /things/{id} id=a/b \xC3\xA9+");
  CHECK(route(routes, "GET", "/things/7/parts/8") == "200 /things/{id}/parts/{part} id=7 part=8");
  CHECK(route(routes, "HEAD", "/things/7") == "200 /things/{id} id=7");
  for (auto path : {"/things/", "/things", "/things/7/", "/things/7/parts", "/things//parts/8",
                    "/things/7/parts/8/9"})
    CHECK(route(routes, "GET", path).starts_with("404 "));
}

TEST_CASE_METHOD(pattern_fixture, "an exact path beats a parameter, whatever came first") {
  add("GET", "/things/{id}");
  add("POST", "/things/retry");
  add("GET", "/{any}/first");
  add("POST", "/things/{id}/retry");
  CHECK(route(routes, "POST", "/things/retry") == "200 /things/retry");
  CHECK(route(routes, "GET", "/things/retry").starts_with("405 "));
  CHECK(route(routes, "GET", "/things/first") == "200 /things/{id} id=first");
  CHECK(route(routes, "GET", "/others/first") == "200 /{any}/first any=others");
  CHECK(route(routes, "POST", "/things/7/retry") == "200 /things/{id}/retry id=7");
}

TEST_CASE_METHOD(pattern_fixture, "a path that cannot be decoded is refused") {
  add("GET", "/things/{id}");
  for (auto path : {"/things/%", "/things/%4", "/things/%zz", "/things/%00", "/things/%ff",
                    "/things/%0a", "/things/a%7f"})
    CHECK(route(routes, "GET", path).starts_with("400 "));
}

TEST_CASE("without a guard only open routes are served") {
  router routes;
  auto ran = false;
  for (auto needed : {access::viewer, access::act})
    routes.add("POST", needed == access::act ? "/act" : "/look", needed,
               [&](const request&, const responder& respond) {
                 ran = true;
                 respond({});
               });
  CHECK(route(routes, "POST", "/look").starts_with("401 "));
  CHECK(route(routes, "POST", "/act").starts_with("401 "));
  CHECK_FALSE(ran);
}

TEST_CASE("a guard says who asks, or refuses before the handler runs") {
  router routes;
  std::string who;
  routes.add("POST", "/act", access::act, [&](const request& x, const responder& respond) {
    who = x.who.name;
    respond({});
  });
  auto let_in = false;
  routes.set_guard([&](request& x, access needed) -> std::optional<response> {
    CHECK(needed == access::act);
    if (!let_in)
      return error_response(403, "FORBIDDEN", "no");
    x.who = {"ann", access::act};
    return std::nullopt;
  });
  CHECK(route(routes, "POST", "/act").starts_with("403 "));
  CHECK(who.empty());
  let_in = true;
  CHECK(route(routes, "POST", "/act").starts_with("200 "));
  CHECK(who == "ann");
}

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
