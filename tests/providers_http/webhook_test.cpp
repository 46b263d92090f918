#include "actors/providers/base64.hpp"
#include "actors/providers/webhook_provider.hpp"
#include "actors/providers/webhook_signature.hpp"
#include "tests/providers_http/adapter.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::answering;
using test::message_to;
using test::scripted_http;
using test::summary;
namespace web = test::web;

const std::string secret_bytes(32, 's');

webhook_config local_config() {
  webhook_config result;
  result.secrets = {"whsec_" + base64(secret_bytes)};
  result.allow_http = true;
  result.allow_private = true;
  return result;
}

struct webhook : test::adapter {
  explicit webhook(const webhook_config& config = local_config(), host_resolver resolver = {})
      : adapter(
          [config](http_client_ptr client) {
            return make_webhook_provider(std::move(client), config);
          },
          *make_webhook_filter(config), std::move(resolver)) {}
};

TEST_CASE("a receiver can check what it got by the signature") {
  scripted_http server{answering({web::answer_text(204, "")})};
  webhook hook;
  auto message = message_to(server.url("/in?x=1"), R"({"type":"order.paid.v1"})");
  CHECK(summary(hook.send(message)) == "sent ");
  REQUIRE(server.count() == 1);
  auto request = server.requests().front();
  CHECK(request.target() == "/in?x=1");
  CHECK(request.body == message.content.text);
  CHECK(request.header("webhook-id") == message.idempotency_key);
  auto timestamp = std::stoll(request.header("webhook-timestamp"));
  CHECK(request.header("webhook-signature")
        == sign_webhook({secret_bytes}, message.idempotency_key, timestamp, request.body));
  CHECK(request.head.find(base64(secret_bytes)) == std::string::npos);
}

TEST_CASE("a trace's header goes with the request and changes nothing that is signed") {
  scripted_http server{answering({web::answer_text(204, ""), web::answer_text(204, "")})};
  webhook hook;
  auto message = message_to(server.url("/in"), R"({"type":"order.paid.v1"})");
  CHECK(summary(hook.send(message)) == "sent ");
  message.origin.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  CHECK(summary(hook.send(message)) == "sent ");
  auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].count("traceparent") == 0);
  CHECK(requests[1].header("traceparent") == message.origin.traceparent);
  CHECK(requests[1].body == requests[0].body);
  CHECK(requests[1].header("webhook-signature")
        == sign_webhook({secret_bytes}, message.idempotency_key,
                        std::stoll(requests[1].header("webhook-timestamp")), message.content.text));
}

TEST_CASE("D-C8: any status of success is a delivery") {
  for (int status : {200, 201, 202, 206}) {
    scripted_http server{answering({web::answer_text(status, "whatever")})};
    webhook hook;
    CHECK(summary(hook.send(message_to(server.url()))) == "sent ");
  }
}

TEST_CASE("D-D2: no way to write an address leads a webhook into our network") {
  scripted_http server{test::http_script{web::serve()}};
  auto config = local_config();
  config.allow_private = false;
  webhook hook{config};
  auto port = ":" + std::to_string(server.port()) + "/";
  for (const std::string host : {"127.0.0.1",
                                 "2130706433",
                                 "0x7f000001",
                                 "0x7f.1",
                                 "017700000001",
                                 "0177.0.0.1",
                                 "127.1",
                                 "0",
                                 "0.0.0.0",
                                 "localhost",
                                 "LOCALHOST",
                                 "localhost.",
                                 "[::1]",
                                 "[::]",
                                 "[::ffff:127.0.0.1]",
                                 "[::ffff:7f00:1]",
                                 "[::127.0.0.1]",
                                 "[64:ff9b::127.0.0.1]",
                                 "[2002:7f00:1::]",
                                 "[0:0:0:0:0:0:0:1]"}) {
    INFO(host);
    auto result = hook.send(message_to("http://" + host + port));
    CHECK(result.kind != outcome_kind::sent);
    // The resolver may not know a spelling; what it knows is refused for good.
    if (result.kind == outcome_kind::permanent)
      CHECK((result.reason == "http_blocked_address" || result.reason == "http_invalid_request"));
    else
      CHECK(result.reason == "dns_not_found");
  }
  CHECK(summary(hook.send(message_to("http://127.0.0.1" + port)))
        == "permanent http_blocked_address");
  CHECK(summary(hook.send(message_to("http://2130706433" + port)))
        == "permanent http_blocked_address");
  CHECK(summary(hook.send(message_to("http://user@127.0.0.1" + port)))
        == "permanent webhook_invalid_url");
  CHECK(server.connections() == 0);
}

TEST_CASE("D-D2: a name that moves into our network is refused when it does") {
  scripted_http outside{{{web::take_request(), web::answer(200, "", {{"Connection", "close"}})}},
                        "127.0.0.2"};
  auto config = local_config();
  config.allow_private = false;
  config.allowed_networks = {"127.0.0.2/32"};
  auto lookups = std::make_shared<std::atomic<int>>(0);
  webhook hook{config, [lookups](const std::string&, const std::function<void(host_lookup)>& done) {
                 auto first = lookups->fetch_add(1) == 0;
                 done({{}, {boost::asio::ip::make_address(first ? "127.0.0.2" : "127.0.0.1")}});
               }};
  auto message = message_to("http://rebound.example:" + std::to_string(outside.port()) + "/");
  CHECK(summary(hook.send(message)) == "sent ");
  CHECK(summary(hook.send(message)) == "permanent http_blocked_address");
  CHECK(outside.count() == 1);
}

TEST_CASE("D-D1: a redirect is not followed") {
  scripted_http inner{test::http_script{web::serve()}};
  for (int status : {301, 302, 303, 307, 308}) {
    scripted_http server{answering({web::answer_text(status, "", {{"Location", inner.url()}})})};
    webhook hook;
    CHECK(summary(hook.send(message_to(server.url()))) == "retry http_redirect");
    CHECK(server.count() == 1);
  }
  CHECK(inner.connections() == 0);
}

TEST_CASE("P-15: no line break of an event reaches the wire") {
  scripted_http server{test::http_script{web::serve()}};
  webhook hook;
  for (const std::string tail : {"\r\nX-Injected: y", "\n", "\r", "\r\n\r\nGET / HTTP/1.1"})
    CHECK(summary(hook.send(message_to(server.url() + tail))) == "permanent webhook_invalid_url");
  auto message = message_to(server.url());
  message.idempotency_key = "a\r\nX-Injected: y";
  CHECK(summary(hook.send(message)) == "permanent webhook_invalid_id");
  CHECK(server.connections() == 0);
  // In the body they are only bytes.
  message = message_to(server.url(), "{}\r\n\r\nGET /injected HTTP/1.1\r\n\r\n");
  CHECK(summary(hook.send(message)) == "sent ");
  REQUIRE(server.count() == 1);
  CHECK(server.requests().front().body == message.content.text);
}

TEST_CASE("D-C6: an endpoint that is gone stays so, other troubles pass") {
  struct row {
    int status;
    std::string expected;
  };
  for (const auto& x : std::vector<row>{{410, "permanent http_gone"},
                                        {408, "retry http_request_timeout"},
                                        {425, "retry http_too_early"},
                                        {429, "retry_after http_rate_limited"},
                                        {500, "retry http_server_error"},
                                        {404, "retry http_not_found"}}) {
    scripted_http server{answering({web::answer_text(x.status, "")})};
    webhook hook;
    auto result = hook.send(message_to(server.url()));
    CHECK(summary(result) == x.expected);
    CHECK(result.suppress_recipient == (x.status == 410));
  }
}

TEST_CASE("D-C1: a receiver's wait is read from the answer") {
  scripted_http server{
      answering({web::answer_text(503, "",
                                  {{"Date", "Tue, 01 Sep 2026 16:00:00 GMT"},
                                   {"Retry-After", "Tuesday, 01-Sep-26 16:02:00 GMT"}}),
                 web::answer_text(429, "", {{"Retry-After", "1.5"}})})};
  webhook hook;
  CHECK(hook.send(message_to(server.url())).wait_hint == 120s);
  CHECK(hook.send(message_to(server.url())).wait_hint == 2s);
}

TEST_CASE("a receiver that asks for it gets this message no more") {
  scripted_http server{
      answering({web::answer_text(500, "", {{"webhook-delivery", "abort-message"}})})};
  webhook hook;
  CHECK(summary(hook.send(message_to(server.url()))) == "permanent webhook_aborted");
}

TEST_CASE("a lost answer is tried again, under the id by which receivers know it") {
  scripted_http server{
      {{web::take_request(), web::reset()}, {web::take_request(), web::answer(200)}}};
  webhook hook;
  auto message = message_to(server.url());
  CHECK(summary(hook.send(message)) == "retry http_reply_lost");
  CHECK(summary(hook.send(message)) == "sent ");
  REQUIRE(server.count() == 2);
  CHECK(server.requests()[0].header("webhook-id") == server.requests()[1].header("webhook-id"));
}

TEST_CASE("a receiver that says nothing is left at the deadline") {
  scripted_http server{{web::take_request(), web::freeze()}};
  webhook hook;
  auto message = message_to(server.url());
  message.deadline = 300ms;
  CHECK(summary(hook.send(message)) == "retry http_reply_timeout");
}

} // namespace
} // namespace notify
