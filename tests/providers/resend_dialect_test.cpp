#include "actors/providers/resend_provider.hpp"

#include "messages/error.hpp"
#include "tests/providers/http_samples.hpp"

#include <boost/json/parse.hpp>

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

resend_config good_config() {
  resend_config result;
  result.api_key = "re_secret";
  result.from = "Shop <shop@example.com>";
  return result;
}

std::shared_ptr<const resend_dialect> dialect() {
  auto result = resend_dialect::make(good_config());
  REQUIRE(result);
  return *result;
}

http_request request_for(const send_request& x) {
  auto made = dialect()->request_for(x, sample_time);
  REQUIRE(std::holds_alternative<http_request>(made));
  return std::get<http_request>(std::move(made));
}

outcome refusal_of(const send_request& x) {
  auto made = dialect()->request_for(x, sample_time);
  REQUIRE(std::holds_alternative<outcome>(made));
  CHECK(std::get<outcome>(made).kind == kind::permanent);
  CHECK(std::get<outcome>(made).phase == send_phase::render);
  return std::get<outcome>(std::move(made));
}

std::string error_body(int status, const std::string& name, const std::string& message = "no") {
  return R"({"statusCode":)" + std::to_string(status) + R"(,"name":")" + name + R"(","message":")"
         + message + R"("})";
}

outcome outcome_of(const http_exchange& x) {
  return dialect()->outcome_of("user@example.com", x, sample_time);
}

outcome outcome_of_error(int status, const std::string& name, const std::string& message = "no") {
  return outcome_of(answered(status, error_body(status, name, message)));
}

void check(const outcome& result, kind expected, const std::string& reason) {
  CHECK(to_string(result.kind) == to_string(expected));
  CHECK(result.reason == reason);
}

TEST_CASE("a mail for Resend has one recipient and the same bytes every time") {
  auto mail = message_to("user@example.com", "line\n\"quoted\" \xD1\x8F");
  auto x = request_for(mail);
  CHECK(x.method == "POST");
  CHECK(x.url == "https://api.resend.com/emails");
  CHECK(x.headers
        == http_headers{{"Authorization", "Bearer re_secret"},
                        {"Content-Type", "application/json"},
                        {"Accept", "application/json"},
                        {"Idempotency-Key", "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01"}});
  CHECK(x.body
        == R"({"from":"Shop <shop@example.com>","to":["user@example.com"],"subject":"subject",)"
           "\"text\":\"line\\n\\\"quoted\\\" \xD1\x8F\"}");
  CHECK(request_for(mail).body == x.body);
  mail.attempt_no = 7;
  CHECK(request_for(mail).body == x.body);
  mail.content.html = "<p>";
  CHECK(request_for(mail).body.find(R"("html":"<p>","text":)") != std::string::npos);
}

TEST_CASE("P-15: line breaks and NUL never reach a mail's headers or a request's") {
  for (const std::string& bad : {std::string{"X\r\nBcc: a@b"}, std::string{"X\r"},
                                 std::string{"X\n"}, std::string{"X\0", 2}}) {
    auto mail = message_to("user@example.com");
    mail.content.subject = bad;
    CHECK(refusal_of(mail).reason == "resend_invalid_message");
    mail = message_to("user@example.com");
    mail.idempotency_key = bad;
    CHECK(refusal_of(mail).reason == "resend_invalid_key");
    CHECK(refusal_of(message_to("user@example.com" + bad)).reason == "resend_invalid_recipient");
  }
  auto mail = message_to("user@example.com");
  mail.content.subject = "a\xE2\x80\xA8Bcc: b@c"; // U+2028 is no line break in a header.
  CHECK(boost::json::parse(request_for(mail).body).at("subject").as_string()
        == "a\xE2\x80\xA8Bcc: b@c");
}

TEST_CASE("D-F1: neither address nor subject can add a header") {
  auto mail = message_to("user@example.com");
  mail.content.subject = "a\r\nBcc: x";
  CHECK(refusal_of(mail).reason == "resend_invalid_message");
  CHECK(refusal_of(message_to("a@b.c\r\nBcc: x@y.z")).reason == "resend_invalid_recipient");
  CHECK(refusal_of(message_to("a@b.c, x@y.z")).reason == "resend_invalid_recipient");
  auto config = good_config();
  config.from = "Shop\r\nBcc: x <shop@example.com>";
  CHECK_FALSE(resend_dialect::make(config));
}

TEST_CASE("a key for Resend has at most 256 characters") {
  auto mail = message_to("user@example.com");
  mail.idempotency_key = std::string(256, 'k');
  CHECK(request_for(mail).headers.back().second == mail.idempotency_key);
  mail.idempotency_key += 'k';
  CHECK(refusal_of(mail).reason == "resend_invalid_key");
}

TEST_CASE("Resend's error names decide, its statuses only where there is no name") {
  struct row {
    int status;
    std::string name, message;
    kind expected;
    std::string reason;
  };
  for (const auto& x : std::vector<row>{
           {400, "validation_error", "`to` is wrong", kind::permanent, "resend_invalid_message"},
           {400, "validation_error", "API key is invalid", kind::hold, "resend_key_refused"},
           {401, "validation_error", "API key is invalid", kind::hold, "resend_key_refused"},
           {403, "validation_error", "API key is invalid", kind::hold, "resend_key_refused"},
           {401, "missing_api_key", "", kind::hold, "resend_key_refused"},
           {401, "restricted_api_key", "", kind::hold, "resend_key_refused"},
           {403, "invalid_api_key", "", kind::hold, "resend_key_refused"},
           {403, "validation_error", "The example.com domain is not verified", kind::hold,
            "resend_domain_refused"},
           {403, "validation_error", "You can only send testing emails to your own address",
            kind::hold, "resend_domain_refused"},
           {403, "validation_error", "else", kind::hold, "http_forbidden"},
           {400, "invalid_idempotency_key", "", kind::permanent, "resend_invalid_key"},
           {404, "not_found", "", kind::hold, "http_not_found"},
           {405, "method_not_allowed", "", kind::permanent, "http_refused"},
           {422, "invalid_attachment", "", kind::permanent, "http_refused"},
           {422, "missing_required_field", "", kind::permanent, "http_refused"},
           {422, "invalid_from_address", "", kind::hold, "resend_sender_refused"},
           {429, "rate_limit_exceeded", "", kind::retry_after, "http_rate_limited"},
           {429, "daily_quota_exceeded", "", kind::retry_after, "resend_daily_quota"},
           {429, "monthly_quota_exceeded", "", kind::hold, "resend_monthly_quota"},
           {429, "something_new", "", kind::retry_after, "http_rate_limited"},
           {451, "security_error", "", kind::permanent, "resend_security_error"},
           {500, "application_error", "", kind::retry, "http_server_error"},
           {500, "internal_server_error", "", kind::retry, "http_server_error"},
       }) {
    INFO(x.status << ' ' << x.name);
    auto result = outcome_of_error(x.status, x.name, x.message);
    check(result, x.expected, x.reason);
    CHECK(result.provider_code == x.name);
    CHECK(result.provider_status == x.status);
    CHECK(result.provider == "resend");
    CHECK_FALSE(result.suppress_recipient);
  }
}

TEST_CASE("P-12: Resend's limits name the wait, or get one") {
  auto limit = outcome_of_error(429, "rate_limit_exceeded");
  CHECK(limit.wait_hint == 1s);
  CHECK(limit.pause_channel);
  auto asked =
      outcome_of(answered(429, error_body(429, "rate_limit_exceeded"), {{"retry-after", "3"}}));
  CHECK(asked.wait_hint == 3s);
  auto reset =
      outcome_of(answered(429, error_body(429, "rate_limit_exceeded"), {{"ratelimit-reset", "2"}}));
  CHECK(reset.wait_hint == 2s);
  auto daily = outcome_of_error(429, "daily_quota_exceeded");
  CHECK(daily.wait_hint == 1h);
  CHECK(daily.pause_channel);
}

TEST_CASE("P-28: the two conflicts of idempotency keys are told apart") {
  check(outcome_of_error(409, "concurrent_idempotent_requests"), kind::retry,
        "idempotency_in_progress");
  check(outcome_of_error(409, "invalid_idempotent_request"), kind::permanent,
        "idempotency_conflict");
  // A name that nobody knows: the same key again can do no harm.
  check(outcome_of_error(409, "something_new"), kind::retry, "http_conflict");
}

TEST_CASE("P-25: trouble with our account never makes a mail dead") {
  for (int status : {401, 402, 403})
    CHECK(outcome_of(answered(status, R"({"message":"Maximum credits exceeded"})")).kind
          == kind::hold);
}

TEST_CASE("P-33: with a key a server's error is tried again, and a lost answer stays unknown") {
  for (int status : {500, 502, 504})
    CHECK(outcome_of(answered(status, "oops")).kind == kind::retry);
  CHECK(outcome_of(test::ended(http_event::timed_out, send_phase::wait_reply, true)).kind
        == kind::unknown);
}

TEST_CASE("P-11: success is what Resend calls one, with or without an id that can be read") {
  auto good = outcome_of(answered(200, R"({"id":"49a3999c","new":{"field":[1]}})"));
  check(good, kind::sent, "");
  CHECK(good.provider_message_id == "49a3999c");
  CHECK(good.detail.empty());
  for (const std::string body : {"", "ok", "{}", R"({"id":7})", R"({"id":"49a3)"}) {
    INFO(body);
    auto odd = outcome_of(answered(200, body));
    check(odd, kind::sent, "");
    CHECK(odd.provider_message_id.empty());
    CHECK(odd.detail == "the answer names no message id");
  }
  auto cut = answered(200, R"({"id":"49a3999c"})");
  cut.body_complete = false;
  check(outcome_of(cut), kind::sent, "");
}

TEST_CASE("D-C7: an error under a status of success is an error") {
  auto result = outcome_of(answered(200, error_body(429, "rate_limit_exceeded")));
  check(result, kind::retry_after, "http_rate_limited");
  check(outcome_of(answered(200, error_body(500, "application_error"))), kind::retry,
        "http_server_error");
  // Somebody else's page, such as a network's login.
  check(outcome_of(answered(200, "<html>", {{"Content-Type", "text/html; charset=utf-8"}})),
        kind::unknown, "http_not_json");
}

TEST_CASE("D-D4: a mail counts as sent as soon as the status says so") {
  auto dripping = answered(200, "{\"id");
  dripping.body_complete = false;
  check(outcome_of(dripping), kind::sent, "");
}

TEST_CASE("settings for Resend that cannot work are refused with the option's name") {
  auto problem = [](auto change) {
    auto config = good_config();
    change(config);
    auto result = resend_dialect::make(config);
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    return render(result.error());
  };
  CHECK(problem([](auto& x) { x.api_key.clear(); }).find("resend-key-file") != std::string::npos);
  CHECK(problem([](auto& x) { x.api_key = "re_a b"; }).find("re_a") == std::string::npos);
  CHECK(problem([](auto& x) { x.from.clear(); }).find("resend-from") != std::string::npos);
  CHECK(problem([](auto& x) { x.from = "Shop"; }).find("resend-from") != std::string::npos);
  for (const std::string url : {"", "api.resend.com", "ftp://x", "https://", "https://u@h",
                                "https://h/?q", "https://h/", "http://api.resend.com"})
    CHECK(problem([&](auto& x) { x.api_url = url; }).find("resend-api-url") != std::string::npos);
  auto local = good_config();
  for (const std::string url : {"http://127.0.0.1:80", "http://localhost", "http://[::1]:8080/x"}) {
    local.api_url = url;
    CHECK(resend_dialect::make(local));
  }
  CHECK(good_config().key_lifetime == 24h);
}

} // namespace
} // namespace notify
