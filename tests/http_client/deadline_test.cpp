#include "tests/http_client/fixture.hpp"

#include "tests/http_client/full_listener.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using namespace test;

void check_settled(http_test_client& client) {
  CHECK(client.gauge().busy == 0);
  CHECK(client.gauge().idle == 0);
}

TEST_CASE("the deadline ends a lookup") {
  http_test_client client{{}, {}, [](const std::string&, const auto&) {}};
  auto result = client.send(short_post("http://shop.example/"));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.phase == send_phase::resolve);
  CHECK_FALSE(result.request_complete);
  check_settled(client);
}

TEST_CASE("a lookup has its own limit too") {
  http_client_config config;
  config.connect_timeout = 100ms;
  http_test_client client{config, {}, [](const std::string&, const auto&) {}};
  auto result = client.send(post("http://shop.example/"));
  CHECK(result.event == http_event::dns_failed);
  CHECK(result.phase == send_phase::resolve);
  check_settled(client);
}

TEST_CASE("D-D3: a peer that does not even accept is left at the limit") {
  full_listener listener;
  auto by_deadline = GENERATE(true, false);
  http_client_config config;
  config.connect_timeout = by_deadline ? caf::timespan{1min} : caf::timespan{200ms};
  http_test_client client{config};
  auto result = client.send(by_deadline ? short_post(listener.url()) : post(listener.url()));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.phase == send_phase::connect);
  CHECK_FALSE(result.request_complete);
  CHECK(result.bytes_sent == 0);
  check_settled(client);
}

TEST_CASE("an address that is silent does not use up the time of the next") {
  full_listener listener;
  scripted_http server{std::vector<http_script>{{web::serve()}}, "127.0.0.2", listener.port()};
  http_client_config config;
  config.connect_timeout = 2s;
  http_test_client client{config, {}, resolves_to({"127.0.0.1", "127.0.0.2"})};
  CHECK(client.send(post("http://shop.example:" + std::to_string(listener.port()))).status == 200);
}

TEST_CASE("D-D3: a peer that freezes in the TLS hello is left at the limit") {
  scripted_http server{{web::freeze()}};
  auto by_deadline = GENERATE(true, false);
  http_client_config config;
  config.connect_timeout = by_deadline ? caf::timespan{1min} : caf::timespan{200ms};
  http_test_client client{config};
  auto url = server.url("/", "https");
  auto result = client.send(by_deadline ? short_post(url) : post(url));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.phase == send_phase::tls);
  CHECK_FALSE(result.request_complete);
  CHECK(result.bytes_sent == 0);
  check_settled(client);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("D-D3: a peer that accepts and freezes is left at the deadline") {
  scripted_http server{{web::freeze()}};
  http_test_client client;
  auto result = client.send(short_post(server.url()));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.phase == send_phase::wait_reply);
  CHECK(result.request_complete); // The kernel took it all.
  check_settled(client);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("a body that the peer does not take is not complete at the deadline") {
  scripted_http server{{web::take_head(), web::freeze()}};
  http_test_client client;
  auto result = client.send(short_post(server.url(), huge_body(), 2s));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.phase == send_phase::send_body);
  CHECK_FALSE(result.request_complete);
  CHECK(result.bytes_sent > 0);
  CHECK(result.bytes_sent < huge_body().size());
  check_settled(client);
}

TEST_CASE("D-D3: a peer that freezes after the request is left at the deadline") {
  scripted_http server{{web::take_request(), web::freeze()}};
  http_test_client client;
  auto result = client.send(short_post(server.url()));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.phase == send_phase::wait_reply);
  CHECK(result.request_complete);
  CHECK(result.status == 0);
  check_settled(client);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("a first line that never ends is no status at the deadline") {
  scripted_http server{{web::take_request(), web::say("HTTP/1.1 200"), web::freeze()}};
  http_test_client client;
  auto result = client.send(short_post(server.url()));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.phase == send_phase::read_reply);
  CHECK(result.status == 0);
  check_settled(client);
}

TEST_CASE("the status of the first line counts at the deadline") {
  scripted_http server{{web::take_request(), web::say("HTTP/1.1 202 OK\r\nX-A"), web::freeze()}};
  http_test_client client;
  auto result = client.send(short_post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 202);
  CHECK_FALSE(result.body_complete);
  check_settled(client);
}

TEST_CASE("D-D4: a body that drips ends with the deadline, and the status is known") {
  auto head = GENERATE("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX-Id: 7\r\n\r\n",
                       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Id: 7\r\n\r\n3e8\r\n");
  scripted_http server{{web::take_request(), web::say(head), web::drip(filled(1000, 'x'), 20ms)}};
  http_test_client client;
  auto result = client.send(short_post(server.url()));
  CHECK(result.event == http_event::answered);
  CHECK(result.status == 200);
  CHECK(result.header("X-Id") == "7");
  CHECK(result.phase == send_phase::read_reply);
  CHECK_FALSE(result.body_complete);
  CHECK(result.body.size() < 1000);
  CHECK(result.detail == "the deadline passed");
  check_settled(client);
  CHECK(eventually([&] { return server.open_connections() == 0; }));
}

TEST_CASE("D-D4: a head that drips ends with the deadline") {
  scripted_http server{
      {web::take_request(), web::drip("HTTP/1.1 200 OK" + filled(1000, 'x'), 20ms)}};
  http_test_client client;
  auto result = client.send(short_post(server.url()));
  CHECK(result.event == http_event::timed_out);
  CHECK(result.status == 0);
  check_settled(client);
}

TEST_CASE("a request without time is answered and not sent") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  auto result = client.send(short_post(server.url(), "x", caf::timespan{0}));
  CHECK(result.event == http_event::timed_out);
  CHECK_FALSE(result.request_complete);
  CHECK(server.connections() == 0);
}

TEST_CASE("a deadline longer than the clock is one") {
  scripted_http server{{web::serve()}};
  http_test_client client;
  CHECK(client.send(short_post(server.url(), "x", caf::timespan::max())).status == 200);
}

} // namespace
} // namespace notify
