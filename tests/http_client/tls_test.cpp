#include "tests/http_client/fixture.hpp"

#include "messages/safe_text.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using namespace test;

std::string localhost(const scripted_http& server) {
  return "https://localhost:" + std::to_string(server.port()) + "/";
}

const auto secure_serve = web::all({web::start_tls(), web::serve()});

/// What a client that trusts `trusted` makes of a server with this identity.
http_exchange answer_of_server(const test_identity& identity, const test_identity& trusted,
                               int newest_version = 0) {
  scripted_http server{{secure_serve}};
  server.use_identity(identity, newest_version);
  http_test_client client{trusting(trusted)};
  auto result = client.send(post(localhost(server)));
  CHECK(client.gauge().busy == 0);
  CHECK(server.count() == (result.event == http_event::answered ? 1 : 0));
  return result;
}

TEST_CASE("a request goes out under TLS, and the session carries the next one too") {
  test_identity identity{"localhost"};
  scripted_http server{{secure_serve}};
  server.use_identity(identity);
  http_test_client client{trusting(identity)};
  auto first = client.send(post(localhost(server)));
  INFO(first.detail);
  REQUIRE(first.event == http_event::answered);
  CHECK(first.request_complete);
  auto seen = server.requests().at(0);
  CHECK(first.bytes_sent == seen.head.size() + seen.body.size());
  auto second = client.send(post(localhost(server)));
  CHECK(second.status == 200);
  CHECK(second.connection_reused);
  CHECK(server.connections() == 1);
}

TEST_CASE("a large request goes through TLS unchanged") {
  test_identity identity{"localhost"};
  scripted_http server{{secure_serve}};
  server.use_identity(identity);
  http_test_client client{trusting(identity)};
  auto body = filled(1'000'003, 'y');
  auto result = client.send(post(localhost(server), body));
  CHECK(result.status == 200);
  auto seen = server.requests().at(0);
  CHECK(seen.body == body);
  CHECK(result.bytes_sent == seen.head.size() + body.size());
}

TEST_CASE("D-D8: a certificate of no use says why, and nothing is sent") {
  auto check = [](const http_exchange& result, const std::string& why) {
    CHECK(result.event == http_event::untrusted);
    CHECK(result.phase == send_phase::tls);
    CHECK_FALSE(result.request_complete);
    CHECK(result.bytes_sent == 0);
    CHECK(result.detail == why);
  };
  test_identity good{"localhost"};
  test_identity expired{"localhost", {true, nullptr}};
  check(answer_of_server(expired, expired), "the certificate has expired");
  test_identity other{"shop.example"};
  check(answer_of_server(other, other), "the certificate is for another host");
  test_identity unknown{"localhost"};
  check(answer_of_server(unknown, good), "the certificate is self-signed");
  test_identity strange_issuer{"issuer.example"};
  test_identity issued{"localhost", {false, &strange_issuer}};
  check(answer_of_server(issued, good), "the certificate's issuer is not trusted");
  CHECK(answer_of_server(issued, strange_issuer).event == http_event::answered);
}

TEST_CASE("D-D8: a server of TLS 1.0 or 1.1 gets nothing") {
  test_identity identity{"localhost"};
  auto result = answer_of_server(identity, identity, GENERATE(TLS1_VERSION, TLS1_1_VERSION));
  CHECK(result.event == http_event::tls_failed);
  CHECK(result.phase == send_phase::tls);
  CHECK(result.bytes_sent == 0);
  CHECK_FALSE(result.detail.empty());
  CHECK(safe_text(result.detail, 200) == result.detail);
  CHECK(answer_of_server(identity, identity, TLS1_2_VERSION).event == http_event::answered);
}

TEST_CASE("D-D8: a handshake that breaks off is told from one that takes too long") {
  auto step = GENERATE(0, 1, 2);
  // Not before the hello, or the connect itself may fail.
  auto take_hello = [](http_peer& peer) { return peer.wire.fill(); };
  const http_step endings[] = {web::close(), web::reset(),
                               web::all({web::say("HTTP/1.1 400 No\r\n\r\n"), web::close()})};
  scripted_http server{{take_hello, endings[step]}};
  http_test_client client;
  auto result = client.send(post(localhost(server)));
  CHECK(result.event == http_event::tls_failed);
  CHECK(result.phase == send_phase::tls);
  CHECK_FALSE(result.request_complete);
  CHECK_FALSE(result.detail.empty());
}

TEST_CASE("a host named by its address is checked by its address") {
  auto send = [](const test_identity& identity) {
    scripted_http server{{secure_serve}};
    server.use_identity(identity);
    http_test_client client{trusting(identity)};
    return client.send(post(server.url("/", "https"))).event;
  };
  CHECK(send(test_identity{"IP:127.0.0.1"}) == http_event::answered);
  CHECK(send(test_identity{"localhost"}) == http_event::untrusted);
}

TEST_CASE("P-6: under TLS a kept connection that dies does not send again either") {
  test_identity identity{"localhost"};
  auto how = GENERATE(0, 1, 2);
  const http_step endings[] = {web::close(), web::cut(), web::reset()};
  scripted_http server{
      {web::start_tls(), web::take_request(), web::answer(200), web::take_request(), endings[how]}};
  server.use_identity(identity);
  http_test_client client{trusting(identity)};
  CHECK(client.send(post(localhost(server))).status == 200);
  auto second = client.send(post(localhost(server)));
  CHECK(second.event == http_event::closed);
  CHECK(second.connection_reused);
  CHECK(second.request_complete);
  CHECK(server.count() == 2);
  CHECK(server.connections() == 1);
}

TEST_CASE("an idle TLS session that the peer ended is replaced") {
  test_identity identity{"localhost"};
  std::promise<void> may_leave;
  scripted_http server{
      std::vector<http_script>{{web::start_tls(), web::take_request(), web::answer(200),
                                web::wait_for(may_leave.get_future().share()), web::close()},
                               {secure_serve}}};
  server.use_identity(identity);
  http_test_client client{trusting(identity)};
  CHECK(client.send(post(localhost(server))).status == 200);
  may_leave.set_value();
  REQUIRE(eventually([&] { return server.open_connections() == 0; }));
  auto second = client.send(post(localhost(server)));
  CHECK(second.status == 200);
  CHECK_FALSE(second.connection_reused);
}

TEST_CASE("a body that ends with the connection needs TLS's own goodbye") {
  test_identity identity{"localhost"};
  auto is_cut = GENERATE(true, false);
  scripted_http server{{web::start_tls(), web::take_request(),
                        web::say("HTTP/1.1 200 OK\r\n\r\nall"),
                        is_cut ? web::cut() : web::close()}};
  server.use_identity(identity);
  http_test_client client{trusting(identity)};
  auto result = client.send(post(localhost(server)));
  CHECK(result.event == http_event::answered);
  CHECK(result.body == "all");
  CHECK(result.body_complete == !is_cut);
}

} // namespace
} // namespace notify
