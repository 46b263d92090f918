#include "http/api/ask.hpp"

#include "http/api/actors_route.hpp"
#include "http/api/channels_route.hpp"
#include "http/api/stats_route.hpp"
#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <optional>

// Routes that ask actors: nobody is blocked, and an actor that does not answer is a 503.

namespace notify::http {
namespace {

using namespace std::chrono_literals;

stats_collector_actor::behavior_type answering(stats_collector_actor::pointer) {
  return {
      [](get_stats) {
        stats_report report;
        report.taken_at_us = 1'788'278'400'000'000;
        report.jobs.push_back({"email", "sent", 1'970'670'598'291'982'290});
        return report;
      },
      [](stats_tick) {},
      [](get_status) { return actor_status{}; },
      [](const crash_now&) {},
  };
}

stats_collector_actor::behavior_type silent(stats_collector_actor::pointer self) {
  auto promises = std::make_shared<std::vector<caf::typed_response_promise<stats_report>>>();
  return {
      [self, promises](get_stats) -> caf::result<stats_report> {
        promises->push_back(self->make_response_promise<stats_report>());
        return promises->back();
      },
      [](stats_tick) {},
      [](get_status) { return actor_status{}; },
      [](const crash_now&) {},
  };
}

stats_collector_actor::behavior_type failing(stats_collector_actor::pointer) {
  return {
      [](get_stats) -> caf::result<stats_report> {
        return caf::make_error(ec::storage_data, std::string{"ERROR: relation hunter2"});
      },
      [](stats_tick) {},
      [](get_status) { return actor_status{}; },
      [](const crash_now&) {},
  };
}

struct ask_fixture : notify::test::actor_fixture {
  ask_fixture() {
    routes.set_guard([](request& x, access) -> std::optional<response> {
      x.who = {"test", access::act};
      return std::nullopt;
    });
    mount_api(routes, parts);
  }

  ~ask_fixture() {
    parts.actors->clear();
    for (const auto& x : actors)
      self->send_exit(x, caf::exit_reason::user_shutdown);
    settle();
  }

  void put(const std::string& name, const caf::actor& actor) {
    parts.actors->put(name, caf::actor_cast<caf::strong_actor_ptr>(actor));
    actors.push_back(actor);
  }

  /// Sends the request; its answer comes into `got`.
  void get(const std::string& path, const std::string& query = {}) {
    got.reset();
    request x;
    x.method = "GET";
    x.path = path;
    x.query = query;
    routes(x, [this](response y) { got = std::move(y); });
    settle();
  }

  api_parts parts{system, std::make_shared<directory>(), {}, {}, {}, {}};
  router routes;
  std::vector<caf::actor> actors;
  std::optional<response> got;
};

TEST_CASE_METHOD(ask_fixture, "Q-B32 a 64-bit number reaches the client digit by digit") {
  auto actor = system.spawn(answering);
  put(actor_names::stats_collector, caf::actor_cast<caf::actor>(actor));
  get("/api/v1/stats");
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(got->body.find(R"("count":"1970670598291982290")") != std::string::npos);
}

TEST_CASE_METHOD(ask_fixture, "an actor that does not answer in time is a 503, not a wait") {
  auto actor = system.spawn(silent);
  put(actor_names::stats_collector, caf::actor_cast<caf::actor>(actor));
  get("/api/v1/stats");
  CHECK_FALSE(got);
  advance(3999ms);
  CHECK_FALSE(got);
  advance(1ms);
  REQUIRE(got);
  CHECK(got->status == 503);
}

TEST_CASE_METHOD(ask_fixture, "an actor that is not there is a 503 at once") {
  for (auto path : {"/api/v1/stats", "/api/v1/actors"}) {
    get(path);
    REQUIRE(got);
    CHECK(got->status == 503);
    CHECK(got->headers.front().first == "Retry-After");
  }
}

TEST_CASE_METHOD(ask_fixture, "D-E8 what a database said does not reach the client") {
  auto actor = system.spawn(failing);
  put(actor_names::stats_collector, caf::actor_cast<caf::actor>(actor));
  get("/api/v1/stats");
  REQUIRE(got);
  CHECK(got->status == 500);
  CHECK(got->body.find("hunter2") == std::string::npos);
}

TEST_CASE_METHOD(ask_fixture, "a misspelled parameter is refused, not passed over") {
  for (auto path : {"/api/v1/stats", "/api/v1/actors", "/api/v1/channels"}) {
    get(path, "chanel=email");
    REQUIRE(got);
    CHECK(got->status == 400);
  }
}

TEST_CASE_METHOD(ask_fixture,
                 "without metrics /metrics is not available, with a page the page is") {
  get("/metrics");
  REQUIRE(got);
  CHECK(got->status == 503);
  get("/");
  CHECK(got->content_type == "text/html; charset=utf-8");
}

TEST_CASE_METHOD(ask_fixture, "channels are told although their actors are away") {
  parts.channels["email"].slots = 7;
  router own;
  add_channels_route(own, parts);
  own.set_guard([](request&, access) -> std::optional<response> { return std::nullopt; });
  request x;
  x.method = "GET";
  x.path = "/api/v1/channels";
  own(x, [this](response y) { got = std::move(y); });
  settle();
  REQUIRE(got);
  CHECK(got->status == 200);
  CHECK(got->body.find(R"("slots":7,"idle":null)") != std::string::npos);
}

} // namespace
} // namespace notify::http
