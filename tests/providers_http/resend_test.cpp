#include "actors/providers/resend_provider.hpp"
#include "tests/providers_http/adapter.hpp"
#include "tests/support/wait.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::adapter;
using test::answering;
using test::message_to;
using test::scripted_http;
using test::summary;
namespace web = test::web;

std::string answer(int status, const std::string& body) {
  return web::answer_text(status, body, {{"Content-Type", "application/json"}});
}

std::string error(int status, const std::string& name) {
  return answer(status, R"({"statusCode":)" + std::to_string(status) + R"(,"name":")" + name
                            + R"(","message":"no"})");
}

const std::string accepted = answer(200, R"({"id":"49a3999c"})");

/// Resend, at this server.
test::adapter_maker resend_at(const scripted_http& server) {
  resend_config config;
  config.api_url = server.url("", "http");
  config.api_key = "re_secret";
  config.from = "shop@example.com";
  return
      [config](http_client_ptr client) { return make_resend_provider(std::move(client), config); };
}

TEST_CASE("a mail goes to Resend as one request with its key") {
  scripted_http server{answering({accepted})};
  adapter resend{resend_at(server)};
  auto result = resend.send(message_to("user@example.com", "hello"));
  CHECK(summary(result) == "sent ");
  CHECK(result.provider == "resend");
  CHECK(result.provider_message_id == "49a3999c");
  CHECK(result.bytes_sent > 0);
  REQUIRE(server.count() == 1);
  auto request = server.requests().front();
  CHECK(request.method() == "POST");
  CHECK(request.target() == "/emails");
  CHECK(request.header("Authorization") == "Bearer re_secret");
  CHECK(request.header("Idempotency-Key") == message_to("x").idempotency_key);
  CHECK(request.header("Content-Type") == "application/json");
  CHECK(request.count("User-Agent") == 1);
  CHECK(boost::json::parse(request.body).at("text").as_string() == "hello");
}

TEST_CASE("P-28: a conflict of keys is tried again under the same key, or never") {
  scripted_http server{answering({error(409, "concurrent_idempotent_requests"),
                                  error(409, "concurrent_idempotent_requests"), accepted,
                                  error(409, "invalid_idempotent_request")})};
  adapter resend{resend_at(server)};
  auto mail = message_to("user@example.com");
  CHECK(summary(resend.send(mail)) == "retry idempotency_in_progress");
  CHECK(summary(resend.send(mail)) == "retry idempotency_in_progress");
  CHECK(summary(resend.send(mail)) == "sent ");
  CHECK(summary(resend.send(mail)) == "permanent idempotency_conflict");
  std::set<std::string> requests;
  for (const auto& x : server.requests())
    requests.insert(x.header("Idempotency-Key") + x.body);
  CHECK(server.count() == 4);
  CHECK(requests.size() == 1); // The same key and the same bytes, each time.
}

TEST_CASE("P-25: mails that our account could not pay for are delivered later") {
  std::vector<std::string> answers(50, answer(401, R"({"message":"Maximum credits exceeded"})"));
  answers.push_back(web::answer_text(202, R"({"id":"x"})"));
  scripted_http server{answering(answers)};
  adapter resend{resend_at(server)};
  for (int i = 0; i < 50; ++i)
    CHECK(resend.send(message_to("user@example.com")).kind == outcome_kind::hold);
  for (int i = 0; i < 50; ++i)
    CHECK(resend.send(message_to("user@example.com")).kind == outcome_kind::sent);
}

TEST_CASE("P-35: one bad address fails alone, since no request has two") {
  scripted_http server{answering({accepted, error(422, "invalid_parameter"), accepted})};
  adapter resend{resend_at(server)};
  CHECK(summary(resend.send(message_to("a@example.com"))) == "sent ");
  CHECK(summary(resend.send(message_to("b@example.com"))) == "permanent http_refused");
  CHECK(summary(resend.send(message_to("c@example.com"))) == "sent ");
  REQUIRE(server.count() == 3);
  for (const auto& x : server.requests()) {
    CHECK(x.target() == "/emails");
    CHECK(boost::json::parse(x.body).at("to").as_array().size() == 1);
  }
}

TEST_CASE("P-9: an answer is about one mail, and a list of items is no answer to it") {
  // What batch endpoints answer: the status alone would hide the second item's failure. We ask for
  // one mail, so an id is there or it is not.
  scripted_http server{answering({answer(200, R"([{"ErrorCode":0},{"ErrorCode":406}])"),
                                  answer(200, R"({"data":[{"id":"1"}],"errors":[{"index":1}]})")})};
  adapter resend{resend_at(server)};
  for (int i = 0; i < 2; ++i) {
    auto result = resend.send(message_to("a@example.com"));
    CHECK(summary(result) == "sent ");
    CHECK(result.provider_message_id.empty());
    CHECK_FALSE(result.detail.empty());
  }
  for (const auto& x : server.requests())
    CHECK(boost::json::parse(x.body).at("to").as_array().size() == 1);
}

TEST_CASE("P-33: a gateway's error is one request, and the next one has the same key") {
  scripted_http server{answering({web::answer_text(504, "<html>"), accepted})};
  adapter resend{resend_at(server)};
  auto mail = message_to("user@example.com");
  CHECK(summary(resend.send(mail)) == "retry http_gateway_error");
  CHECK(server.count() == 1);
  CHECK(summary(resend.send(mail)) == "sent ");
  CHECK(server.requests()[0].header("Idempotency-Key")
        == server.requests()[1].header("Idempotency-Key"));
}

TEST_CASE("a lost answer leaves it open whether the mail was accepted") {
  scripted_http server{{web::take_request(), web::reset()}};
  adapter resend{resend_at(server)};
  CHECK(summary(resend.send(message_to("user@example.com"))) == "unknown http_reply_lost");
  CHECK(server.count() == 1);
}

TEST_CASE("D-D4: an answer that never ends holds no mail back longer than its deadline") {
  scripted_http server{{web::take_request(),
                        web::say("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{"),
                        web::drip(std::string(100'000, ' '), 5ms)}};
  adapter resend{resend_at(server)};
  auto mail = message_to("user@example.com");
  mail.deadline = 300ms;
  auto result = resend.send(mail);
  CHECK(summary(result) == "sent ");
  CHECK(result.provider_message_id.empty());
}

TEST_CASE("D-B1: a long error is cut between characters") {
  std::string text;
  for (int i = 0; i < 400'000; ++i)
    text += "\xE2\x82\xAC";
  scripted_http server{answering({web::answer_text(400, text)})};
  adapter resend{resend_at(server)};
  auto result = resend.send(message_to("user@example.com"));
  CHECK(result.kind == outcome_kind::permanent);
  CHECK(result.detail.size() == 2046);
}

TEST_CASE("D-B3: compressed or random bytes become text") {
  scripted_http server{answering({web::answer_text(400, std::string{"\x1F\x8B\x08\x00\xFF\xFE", 6},
                                                   {{"Content-Encoding", "gzip"}})})};
  adapter resend{resend_at(server)};
  auto result = resend.send(message_to("user@example.com"));
  CHECK(result.kind == outcome_kind::permanent);
  CHECK(result.detail.find('\0') == std::string::npos);
  CHECK(result.detail.find("\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("the key is in no text, even if the provider repeats it") {
  scripted_http server{{web::take_request(), web::answer_with([](const auto& x) {
                          return web::answer_text(400, x.head);
                        })}};
  adapter resend{resend_at(server)};
  auto result = resend.send(message_to("user@example.com"));
  CHECK(result.detail.find("Bearer ***") != std::string::npos);
  CHECK(result.detail.find("re_secret") == std::string::npos);
}

TEST_CASE("a stop gives back what had not left, and what had is in doubt") {
  scripted_http server{{web::take_request(), web::freeze()}};
  adapter resend{resend_at(server)};
  auto pending = resend.start(message_to("user@example.com"));
  REQUIRE(test::eventually(
      [&] { return server.count() == 1 && server.requests().front().is_complete; }));
  resend.get().stop();
  CHECK(summary(test::answer_of(pending)) == "unknown http_stopped");
  CHECK(summary(resend.send(message_to("user@example.com"))) == "interrupted http_stopped");
  CHECK(server.count() == 1);
}

} // namespace
} // namespace notify
