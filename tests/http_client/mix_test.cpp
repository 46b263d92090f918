#include "tests/http_client/fixture.hpp"

#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

namespace notify {
namespace {

using namespace test;

const auto one_answer = web::all({web::take_request(), web::answer(200, "ok")});

/// One connection for each way to go wrong, and some for the ways to go right.
std::vector<http_script> all_faults() {
  return {
      {web::serve()},
      {web::close()},
      {web::reset()},
      {web::freeze()},
      {web::take_head(), web::close()},
      {web::take_head(), web::reset()},
      {web::take_request(), web::close()},
      {web::take_request(), web::reset()},
      {web::take_request(), web::freeze()},
      {web::take_request(), web::say("garbage\r\n\r\n"), web::close()},
      {web::take_request(), web::say("HTTP/1.1 200 OK\r\nX: "), web::flood(filled(1000, 'x'))},
      {web::take_request(), web::say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
       web::close()},
      {web::take_request(), web::say("HTTP/1.1 200 OK\r\n\r\n"), web::flood(filled(1000, 'x'))},
      {web::take_request(), web::say("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"),
       web::drip(filled(99, 'x'), 20ms)},
      {web::take_head(), web::answer(413), web::freeze()},
      {web::repeat({web::take_request(), web::answer(503, "busy")})},
      {web::take_request(), web::answer(302, "", {{"Location", "http://127.0.0.1:1/"}})},
      {one_answer, web::close()},
      {one_answer, web::take_request(), web::close()},
      {one_answer, web::take_request(), web::reset()},
      {one_answer, web::say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), web::freeze()},
  };
}

TEST_CASE("D-D7: after any mix of faults every connection is back or closed") {
  std::vector<http_script> scripts;
  for (auto round = 0; round < 3; ++round)
    for (auto& script : all_faults())
      scripts.push_back(std::move(script));
  scripted_http server{scripts};
  http_client_config config;
  config.max_idle_connections = 4;
  config.connect_timeout = 5s;
  http_test_client client{config};
  auto url = server.url();
  std::vector<std::future<http_exchange>> pending;
  std::map<http_event, size_t> events;
  size_t sends = 0;
  auto collect = [&] {
    for (auto& x : pending)
      ++events[answer_of(x).event];
    pending.clear();
  };
  while (server.connections() < scripts.size()) {
    auto body = sends % 5 == 0 ? huge_body().substr(0, 2'000'000) : "hello";
    pending.push_back(client.start(short_post(url, body, 300ms)));
    if (++sends % 16 == 0)
      collect();
  }
  collect();
  CHECK(client.answers() == sends);
  CHECK(client.gauge().busy == 0);
  CHECK(client.gauge().idle <= 4);
  CHECK(server.count() <= sends);
  CHECK(events[http_event::answered] > 0);
  CHECK(events[http_event::closed] > 0);
  CHECK(events[http_event::timed_out] > 0);
  CHECK(events[http_event::malformed] > 0);
  // What is not idle is closed, at the peer too.
  CHECK(eventually([&] { return server.open_connections() <= client.gauge().idle; }));
  client.stop();
  CHECK(client.gauge().idle == 0);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

} // namespace
} // namespace notify
