#include "actors/providers/webhook_provider.hpp"

#include "actors/providers/base64.hpp"
#include "actors/providers/webhook_signature.hpp"
#include "messages/error.hpp"
#include "tests/providers/http_samples.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace notify {
namespace {

using namespace std::chrono_literals;
using kind = outcome_kind;
using test::answered;
using test::message_to;
using test::sample_time;

const std::string published_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const std::string other_secret = "whsec_" + base64(std::string(64, 's'));
const std::string endpoint = "https://hooks.example.com/in?x=1";

webhook_config good_config() {
  webhook_config result;
  result.secrets = {published_secret};
  return result;
}

std::shared_ptr<const webhook_dialect> dialect(const webhook_config& config = good_config()) {
  auto result = webhook_dialect::make(config);
  REQUIRE(result);
  return *result;
}

http_request request_for(const send_request& x, const webhook_config& config = good_config(),
                         std::chrono::sys_seconds now = sample_time) {
  auto made = dialect(config)->request_for(x, now);
  REQUIRE(std::holds_alternative<http_request>(made));
  return std::get<http_request>(std::move(made));
}

std::string refusal_of(const send_request& x) {
  auto made = dialect()->request_for(x, sample_time);
  REQUIRE(std::holds_alternative<outcome>(made));
  CHECK(std::get<outcome>(made).kind == kind::permanent);
  return std::get<outcome>(made).reason;
}

std::string header(const http_request& x, const std::string& name) {
  for (const auto& [key, value] : x.headers)
    if (key == name)
      return value;
  return {};
}

outcome outcome_of(const http_exchange& x) {
  return dialect()->outcome_of(endpoint, x, sample_time);
}

TEST_CASE("signatures are those of Standard Webhooks") {
  auto secret = parse_webhook_secret(published_secret);
  REQUIRE(secret);
  CHECK(secret->size() == 24);
  CHECK(
      sign_webhook({*secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})")
      == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST_CASE("a webhook carries its id, the attempt's time and a signature over the bytes sent") {
  auto message = message_to(endpoint, R"({"type":"order.paid.v1"})");
  auto x = request_for(message);
  CHECK(x.method == "POST");
  CHECK(x.url == endpoint);
  CHECK(x.body == message.content.text);
  CHECK(header(x, "Content-Type") == "application/json");
  CHECK(header(x, "webhook-id") == message.idempotency_key);
  CHECK(header(x, "webhook-timestamp") == "1788278400");
  CHECK(header(x, "webhook-signature")
        == sign_webhook({*parse_webhook_secret(published_secret)}, message.idempotency_key,
                        1788278400, x.body));
  auto later = request_for(message, good_config(), sample_time + 60s);
  CHECK(header(later, "webhook-id") == header(x, "webhook-id"));
  CHECK(header(later, "webhook-timestamp") == "1788278460");
  CHECK(header(later, "webhook-signature") != header(x, "webhook-signature"));
}

TEST_CASE("each secret signs, so that receivers can move from one to the next") {
  auto config = good_config();
  config.secrets.push_back(other_secret);
  auto message = message_to(endpoint);
  auto both = header(request_for(message, config), "webhook-signature");
  auto first = header(request_for(message), "webhook-signature");
  config.secrets = {other_secret};
  auto second = header(request_for(message, config), "webhook-signature");
  CHECK(both == first + " " + second);
  CHECK(first.starts_with("v1,"));
}

TEST_CASE("secrets that are none are refused, without being repeated") {
  CHECK(parse_webhook_secret("whsec_" + base64(std::string(24, 'x'))));
  CHECK(parse_webhook_secret(other_secret));
  for (const std::string& bad : std::vector<std::string>{
           "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
           "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + base64(std::string(23, 'x')),
           "whsec_" + base64(std::string(65, 'x')), published_secret + " ", " " + published_secret,
           published_secret + "=", published_secret.substr(0, published_secret.size() - 1),
           "whsec_****************", published_secret + "\n" + published_secret}) {
    INFO(bad);
    CHECK_FALSE(parse_webhook_secret(bad));
    auto config = good_config();
    config.secrets.push_back(bad);
    auto result = webhook_dialect::make(config);
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    CHECK(render(result.error()).find("webhook-secrets-file: secret 2") != std::string::npos);
    CHECK(render(result.error()).find("MfKQ9r8G") == std::string::npos);
  }
  auto none = good_config();
  none.secrets.clear();
  CHECK_FALSE(webhook_dialect::make(none));
}

TEST_CASE("endpoints are https, and http only where the settings allow it") {
  CHECK(refusal_of(message_to("http://hooks.example.com/")) == "webhook_needs_https");
  auto config = good_config();
  config.allow_http = true;
  CHECK(request_for(message_to("http://hooks.example.com/"), config).url
        == "http://hooks.example.com/");
  CHECK(request_for(message_to("HTTPS://hooks.example.com")).url == "HTTPS://hooks.example.com");
  for (const std::string bad :
       {"", "hooks.example.com", "ftp://h/", "file:///etc/passwd", "gopher://h", "https:/h",
        "https://", "https:///x", "https://:80", "https://h/ x", "//h"})
    CHECK(refusal_of(message_to(bad)) == "webhook_invalid_url");
}

TEST_CASE("P-15: no line break gets into a webhook's URL or headers") {
  CHECK(refusal_of(message_to("https://h/\r\nX: y")) == "webhook_invalid_url");
  CHECK(refusal_of(message_to("https://h/\n")) == "webhook_invalid_url");
  CHECK(refusal_of(message_to(std::string{"https://h/\0", 11})) == "webhook_invalid_url");
  auto message = message_to(endpoint);
  for (const std::string bad : {"", "a\r\nX: y", "a\n", "a b", "a.1"}) {
    message.idempotency_key = bad;
    CHECK(refusal_of(message) == "webhook_invalid_id");
  }
}

TEST_CASE("D-C8: a receiver says yes by any status of success, whatever the body") {
  for (int status : {200, 201, 202, 204, 206})
    CHECK(outcome_of(answered(status, R"({"ok":false})")).kind == kind::sent);
}

TEST_CASE("a receiver can end a message, or itself") {
  http_headers abort = {{"Webhook-Delivery", "Abort-Message"}};
  auto aborted = outcome_of(answered(500, {}, abort));
  CHECK(aborted.kind == kind::permanent);
  CHECK(aborted.reason == "webhook_aborted");
  CHECK_FALSE(aborted.suppress_recipient);
  CHECK(outcome_of(answered(429, {}, abort)).kind == kind::permanent);
  CHECK(outcome_of(answered(200, {}, abort)).kind == kind::sent);
  CHECK(outcome_of(answered(500, {}, {{"webhook-delivery", "other"}})).kind == kind::retry);
  auto gone = outcome_of(answered(410));
  CHECK(gone.kind == kind::permanent);
  CHECK(gone.suppress_recipient);
}

TEST_CASE("P-12: a receiver's limit is about its endpoint only") {
  auto result = outcome_of(answered(429, {}, {{"Retry-After", "7"}}));
  CHECK(result.kind == kind::retry_after);
  CHECK(result.wait_hint == 7s);
  CHECK_FALSE(result.pause_channel);
}

TEST_CASE("a webhook's filter is that of its settings") {
  auto config = good_config();
  config.allowed_networks = {"10.1.0.0/16"};
  auto filter = make_webhook_filter(config);
  REQUIRE(filter);
  CHECK((*filter)(boost::asio::ip::make_address("10.1.2.3")));
  CHECK_FALSE((*filter)(boost::asio::ip::make_address("127.0.0.1")));
  config.allowed_networks = {"nothing"};
  CHECK_FALSE(make_webhook_filter(config));
}

} // namespace
} // namespace notify
