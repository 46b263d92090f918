#include "actors/providers/telegram_provider.hpp"
#include "tests/providers_http/adapter.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::adapter;
using test::answering;
using test::message_to;
using test::scripted_http;
using test::summary;
namespace web = test::web;

const std::string token = "123456789:AAF-secret_secret-secret";

test::adapter_maker telegram_at(const scripted_http& server) {
  telegram_config config;
  config.api_url = server.url("", "http");
  config.token = token;
  return [config](http_client_ptr client) {
    return make_telegram_provider(std::move(client), config);
  };
}

std::string error(int status, const std::string& description, const std::string& parameters) {
  return web::answer_text(status, R"({"ok":false,"error_code":)" + std::to_string(status)
                                      + R"(,"description":")" + description + R"(","parameters":)"
                                      + parameters + "}");
}

const std::string accepted = web::answer_text(200, R"({"ok":true,"result":{"message_id":77}})");

TEST_CASE("a message goes to Telegram as one request") {
  scripted_http server{answering({accepted})};
  adapter telegram{telegram_at(server)};
  auto result = telegram.send(message_to("42", "*hello* <b>"));
  CHECK(summary(result) == "sent ");
  CHECK(result.provider_message_id == "77");
  REQUIRE(server.count() == 1);
  auto request = server.requests().front();
  CHECK(request.target() == "/bot" + token + "/sendMessage");
  auto body = boost::json::parse(request.body).as_object();
  CHECK(body.at("chat_id").as_int64() == 42);
  CHECK(body.at("text").as_string() == "*hello* <b>");
}

TEST_CASE("P-7: a message whose answer is lost was sent once, and may have arrived") {
  scripted_http server{{web::take_request(), web::freeze()}};
  adapter telegram{telegram_at(server)};
  auto message = message_to("42");
  message.deadline = 300ms;
  CHECK(summary(telegram.send(message)) == "unknown http_reply_timeout");
  CHECK(server.count() == 1);
}

TEST_CASE("P-8: a long text never reaches Telegram, not even in part") {
  scripted_http server{answering({accepted})};
  adapter telegram{telegram_at(server)};
  CHECK(summary(telegram.send(message_to("42", std::string(10 * 1024, 'x'))))
        == "permanent telegram_text_too_long");
  CHECK(server.connections() == 0);
}

TEST_CASE("D-C2: Telegram's wait comes from the body and concerns all of the bot") {
  scripted_http server{answering({error(429, "Too Many Requests", R"({"retry_after":7})")})};
  adapter telegram{telegram_at(server)};
  auto result = telegram.send(message_to("42"));
  CHECK(summary(result) == "retry_after http_rate_limited");
  CHECK(result.wait_hint == 7s);
  CHECK(result.pause_channel);
}

TEST_CASE("D-C14: a user who blocked the bot is left alone") {
  scripted_http server{answering({error(403, "Forbidden: bot was blocked by the user", "{}")})};
  adapter telegram{telegram_at(server)};
  auto result = telegram.send(message_to("42"));
  CHECK(summary(result) == "permanent telegram_blocked");
  CHECK(result.suppress_recipient);
}

TEST_CASE("D-C7: a success that says `ok:false` is none") {
  scripted_http server{answering({web::answer_text(200, R"({"ok":false})")})};
  adapter telegram{telegram_at(server)};
  CHECK(summary(telegram.send(message_to("42"))) == "unknown telegram_bad_answer");
}

TEST_CASE("the attempt after a migration goes to the new chat") {
  scripted_http server{answering(
      {error(400, "upgraded to a supergroup", R"({"migrate_to_chat_id":-10042})"), accepted})};
  adapter telegram{telegram_at(server)};
  CHECK(summary(telegram.send(message_to("-42"))) == "retry telegram_chat_migrated");
  CHECK(summary(telegram.send(message_to("-42"))) == "sent ");
  REQUIRE(server.count() == 2);
  CHECK(boost::json::parse(server.requests()[0].body).at("chat_id").as_int64() == -42);
  CHECK(boost::json::parse(server.requests()[1].body).at("chat_id").as_int64() == -10042);
}

TEST_CASE("P-33: an error after the send is in doubt, and not repeated by itself") {
  scripted_http server{answering({web::answer_text(504, "<html>")})};
  adapter telegram{telegram_at(server)};
  CHECK(telegram.send(message_to("42")).kind == outcome_kind::unknown);
  CHECK(server.count() == 1);
}

TEST_CASE("D-D4: a success that does not end within the deadline is in doubt") {
  scripted_http server{{web::take_request(),
                        web::say("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{\"ok\":true"),
                        web::drip(std::string(100'000, ' '), 5ms)}};
  adapter telegram{telegram_at(server)};
  auto message = message_to("42");
  message.deadline = 300ms;
  CHECK(summary(telegram.send(message)) == "unknown telegram_bad_answer");
}

TEST_CASE("the token is in no text, whatever goes wrong") {
  auto check = [](const outcome& x) {
    CHECK(x.kind != outcome_kind::sent);
    CHECK((x.detail + x.reason + x.provider_code).find("secret_secret") == std::string::npos);
  };
  {
    scripted_http server{{web::take_request(), web::answer_with([](const auto& x) {
                            return web::answer_text(404, "no such path: " + x.target());
                          })}};
    adapter telegram{telegram_at(server)};
    auto result = telegram.send(message_to("42"));
    check(result);
    CHECK(result.detail.find("no such path: /bot***") != std::string::npos);
  }
  for (const auto& end : {web::close(), web::reset(), web::say("not HTTP\r\n\r\n")}) {
    scripted_http server{{web::take_request(), end}};
    adapter telegram{telegram_at(server)};
    check(telegram.send(message_to("42")));
  }
}

} // namespace
} // namespace notify
