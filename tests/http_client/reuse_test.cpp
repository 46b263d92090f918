#include "tests/http_client/fixture.hpp"

#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

namespace notify {
namespace {

using namespace test;

/// The client's end of its only connection to this port.
int client_end(uint16_t port) {
  for (auto fd = 3; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0
        && peer.sin_family == AF_INET && ntohs(peer.sin_port) == port)
      return fd;
  }
  return -1;
}

const auto one_answer = web::all({web::take_request(), web::answer(200, "ok")});

TEST_CASE("a connection carries one request after the other") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  for (auto i = 0; i < 5; ++i) {
    auto result = client.send(post(server.url()));
    CHECK(result.status == 200);
    CHECK(result.connection_reused == (i > 0));
    CHECK(client.gauge().idle == 1);
    CHECK(client.gauge().busy == 0);
  }
  CHECK(server.connections() == 1);
  CHECK(server.count() == 5);
  CHECK(client.gauge().connections == 1);
}

TEST_CASE("P-6: a kept connection that dies under a request does not send it again") {
  auto how = GENERATE(0, 1);
  scripted_http server{{one_answer, web::take_request(), how == 0 ? web::close() : web::reset()}};
  http_test_client client;
  CHECK(client.send(post(server.url("/1"))).status == 200);
  auto second = client.send(post(server.url("/2")));
  CHECK(second.event == http_event::closed);
  CHECK(second.phase == send_phase::wait_reply);
  CHECK(second.request_complete);
  CHECK(second.connection_reused);
  CHECK(second.status == 0);
  CHECK(server.count() == 2);
  CHECK(server.connections() == 1);
  CHECK(client.gauge().busy == 0);
  CHECK(client.gauge().idle == 0);
}

TEST_CASE("P-6: nor does it when the peer took a part of the request only") {
  scripted_http server{{one_answer, web::take_head(), web::reset()}};
  http_test_client client;
  CHECK(client.send(post(server.url("/1"))).status == 200);
  auto second = client.send(post(server.url("/2"), huge_body()));
  CHECK(second.event == http_event::closed);
  CHECK(second.phase == send_phase::send_body);
  CHECK_FALSE(second.request_complete);
  CHECK(server.count() == 2);
  CHECK(server.connections() == 1);
}

TEST_CASE("a kept connection that takes not a single byte is replaced, since nothing was sent") {
  std::promise<void> may_leave;
  scripted_http server{std::vector<http_script>{
      {one_answer, web::wait_for(may_leave.get_future().share())}, {web::serve(201)}}};
  http_test_client client;
  CHECK(client.send(post(server.url("/1"))).status == 200);
  // Looks alive, but cannot be written to.
  REQUIRE(::shutdown(client_end(server.port()), SHUT_WR) == 0);
  auto second = client.send(post(server.url("/2")));
  may_leave.set_value();
  CHECK(second.status == 201);
  CHECK_FALSE(second.connection_reused);
  CHECK(server.count() == 2);
  CHECK(client.gauge().connections == 2);
  CHECK(client.gauge().idle == 1);
}

TEST_CASE("D-D10: as many requests arrive as were sent, however they end") {
  std::vector<http_script> scripts{
      {web::take_request(), web::close()},
      {web::take_request(), web::reset()},
      {web::take_request(), web::answer(500)},
      {one_answer, web::take_request(), web::close()},
      {one_answer, one_answer, web::take_request(), web::say("garbage\r\n\r\n"), web::close()},
      {web::take_request(), web::answer(408), web::close()},
      {web::take_request(), web::answer(503, "", {{"Connection", "close"}}), web::close()},
  };
  scripted_http server{scripts};
  http_test_client client;
  size_t sends = 0;
  while (server.connections() < scripts.size()) {
    auto result = client.send(post(server.url()));
    CHECK(result.request_complete);
    ++sends;
    CHECK(server.count() == sends);
  }
  CHECK(client.answers() == sends);
}

TEST_CASE("an idle connection that the peer closed is replaced, not used") {
  std::promise<void> may_leave;
  scripted_http server{std::vector<http_script>{
      {one_answer, web::wait_for(may_leave.get_future().share()), web::close()}, {web::serve()}}};
  http_test_client client;
  CHECK(client.send(post(server.url("/1"))).status == 200);
  CHECK(client.gauge().idle == 1);
  may_leave.set_value();
  REQUIRE(eventually([&] { return server.open_connections() == 0; }));
  auto second = client.send(post(server.url("/2")));
  CHECK(second.status == 200);
  CHECK_FALSE(second.connection_reused);
  CHECK(server.count() == 2);
  CHECK(server.connections() == 2);
  CHECK(client.gauge().idle == 1);
}

TEST_CASE("an idle connection on which the peer spoke is replaced") {
  std::promise<void> may_speak;
  std::promise<void> spoke;
  auto tell = [&](http_peer&) {
    spoke.set_value();
    return true;
  };
  scripted_http server{
      std::vector<http_script>{{one_answer, web::wait_for(may_speak.get_future().share()),
                                web::answer(200, "an answer to nobody"), tell, web::freeze()},
                               {web::serve(201, "right")}}};
  http_test_client client;
  CHECK(client.send(post(server.url("/1"))).status == 200);
  may_speak.set_value();
  spoke.get_future().wait();
  auto second = client.send(post(server.url("/2")));
  CHECK(second.status == 201);
  CHECK(second.body == "right");
  CHECK_FALSE(second.connection_reused);
}

TEST_CASE("bytes after an answer spoil the connection") {
  scripted_http server{{web::repeat(
      {web::take_request(), web::say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                                     "HTTP/1.1 500 Evil\r\nContent-Length: 0\r\n\r\n")})}};
  http_test_client client;
  CHECK(client.send(post(server.url("/1"))).status == 200);
  auto second = client.send(post(server.url("/2")));
  CHECK(second.status == 200);
  CHECK_FALSE(second.connection_reused);
}

TEST_CASE("a peer that wants to close is not asked again") {
  auto bytes = GENERATE("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n");
  scripted_http server{{web::take_request(), web::say(bytes), web::freeze()}};
  http_test_client client;
  CHECK(client.send(post(server.url())).status == 200);
  CHECK(client.gauge().idle == 0);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("a connection is used so often and no more") {
  scripted_http server{{web::serve()}};
  http_client_config config;
  config.max_requests_per_connection = 2;
  http_test_client client{config};
  for (auto i = 0; i < 5; ++i)
    CHECK(client.send(post(server.url())).connection_reused == (i % 2 == 1));
  CHECK(server.connections() == 3);
}

TEST_CASE("a connection that is idle too long is closed") {
  scripted_http server{{web::serve()}};
  http_client_config config;
  config.max_idle = 50ms;
  http_test_client client{config};
  CHECK(client.send(post(server.url())).status == 200);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
  CHECK(client.gauge().idle == 0);
  CHECK(client.send(post(server.url())).status == 200);
}

TEST_CASE("of too many idle connections the oldest goes, and the last used comes first") {
  std::promise<void> may_answer;
  auto released = may_answer.get_future().share();
  scripted_http server{
      {web::take_request(), web::wait_for(released), web::answer(200), web::serve()}};
  http_client_config config;
  config.max_idle_connections = 2;
  http_test_client client{config};
  std::vector<std::future<http_exchange>> pending;
  for (auto i = 0; i < 4; ++i)
    pending.push_back(client.start(post(server.url())));
  REQUIRE(eventually([&] { return server.count() == 4; }));
  CHECK(client.gauge().busy == 4);
  may_answer.set_value();
  for (auto& x : pending)
    CHECK(answer_of(x).status == 200);
  CHECK(client.gauge().busy == 0);
  CHECK(client.gauge().idle == 2);
  CHECK(eventually([&] { return server.open_connections() == 2; }));
  CHECK(client.send(post(server.url())).connection_reused);
  auto last = server.requests().back().connection;
  CHECK(client.send(post(server.url())).connection_reused);
  CHECK(server.requests().back().connection == last);
}

TEST_CASE("connections are shared by nobody but requests to the same place") {
  scripted_http one{{web::serve(200, "one")}};
  scripted_http two{{web::serve(200, "two")}};
  http_test_client client;
  CHECK(client.send(post(one.url())).body == "one");
  auto other = client.send(post(two.url()));
  CHECK(other.body == "two");
  CHECK_FALSE(other.connection_reused);
  CHECK(client.gauge().idle == 2);
  CHECK(client.send(post(one.url())).body == "one");
}

TEST_CASE("a limit of no idle connections keeps none") {
  scripted_http server{{web::serve()}};
  http_client_config config;
  config.max_idle_connections = 0;
  http_test_client client{config};
  CHECK(client.send(post(server.url())).status == 200);
  CHECK_FALSE(client.send(post(server.url())).connection_reused);
  CHECK(client.gauge().idle == 0);
}

} // namespace
} // namespace notify
