#include "actors/providers/telegram_provider.hpp"

#include "actors/providers/utf16.hpp"
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
using test::ended;
using test::message_to;
using test::sample_time;
using dialect_ptr = std::shared_ptr<const telegram_dialect>;

const std::string token = "123456789:AAF-secret_secret-secret";

dialect_ptr dialect() {
  telegram_config config;
  config.token = token;
  auto result = telegram_dialect::make(config);
  REQUIRE(result);
  return *result;
}

http_request request_for(const send_request& x, const dialect_ptr& how = dialect()) {
  auto made = how->request_for(x, sample_time);
  REQUIRE(std::holds_alternative<http_request>(made));
  return std::get<http_request>(std::move(made));
}

std::string refusal_of(const send_request& x) {
  auto made = dialect()->request_for(x, sample_time);
  REQUIRE(std::holds_alternative<outcome>(made));
  CHECK(std::get<outcome>(made).kind == kind::permanent);
  CHECK(std::get<outcome>(made).phase == send_phase::render);
  return std::get<outcome>(made).reason;
}

std::string error_body(int code, const std::string& description,
                       const std::string& parameters = "{}") {
  return R"({"ok":false,"error_code":)" + std::to_string(code) + R"(,"description":")" + description
         + R"(","parameters":)" + parameters + "}";
}

outcome outcome_of(const http_exchange& x, const dialect_ptr& how = dialect(),
                   const std::string& chat = "42") {
  return how->outcome_of(chat, x, sample_time);
}

outcome outcome_of_error(int code, const std::string& description) {
  return outcome_of(answered(code, error_body(code, description)));
}

void check(const outcome& result, kind expected, const std::string& reason) {
  CHECK(to_string(result.kind) == to_string(expected));
  CHECK(result.reason == reason);
}

std::string repeated(const std::string& text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

const std::string emoji = "\xF0\x9F\x98\x80";

TEST_CASE("a message for Telegram is plain text to one chat") {
  auto x = request_for(message_to("-1001234567890", "hello"));
  CHECK(x.method == "POST");
  CHECK(x.url == "https://api.telegram.org/bot" + token + "/sendMessage");
  CHECK(x.body
        == R"({"chat_id":-1001234567890,"text":"hello","link_preview_options":)"
           R"({"is_disabled":true}})");
  CHECK(request_for(message_to("@the_channel")).body.find(R"("chat_id":"@the_channel")")
        != std::string::npos);
}

TEST_CASE("D-C10: no sign is markup, and the limit is counted as Telegram counts") {
  const std::string signs = R"(_*[]()~`>#+-=|{}.!\<b>&amp;)";
  auto body = boost::json::parse(request_for(message_to("42", signs)).body).as_object();
  CHECK(body.at("text").as_string() == signs);
  CHECK_FALSE(body.contains("parse_mode"));
  CHECK_FALSE(body.contains("entities"));

  request_for(message_to("42", std::string(4096, 'x')));
  request_for(message_to("42", repeated("\xD1\x8F", 4096)));
  request_for(message_to("42", repeated(emoji, 2048)));
  request_for(message_to("42", std::string(4094, 'x') + emoji));
  CHECK(refusal_of(message_to("42", std::string(4097, 'x'))) == "telegram_text_too_long");
  CHECK(refusal_of(message_to("42", std::string(4095, 'x') + emoji)) == "telegram_text_too_long");
  CHECK(refusal_of(message_to("42", repeated(emoji, 2048) + "x")) == "telegram_text_too_long");
  CHECK(refusal_of(message_to("42", std::string(10'000, 'x'))) == "telegram_text_too_long");
  CHECK(refusal_of(message_to("42", "")) == "telegram_text_empty");
}

TEST_CASE("P-8: a text is sent whole or not at all, never in parts") {
  CHECK(refusal_of(message_to("42", std::string(10 * 1024, 'x'))) == "telegram_text_too_long");
}

TEST_CASE("UTF-16 length counts characters, those beyond the basic plane twice") {
  CHECK(utf16_length("") == 0);
  CHECK(utf16_length("ab") == 2);
  CHECK(utf16_length("\xD1\x8F\xE2\x82\xAC") == 2);
  CHECK(utf16_length(emoji) == 2);
}

TEST_CASE("a recipient is a chat's number or a name") {
  for (const std::string chat : {"42", "-42", "9007199254740991", "@abcd", "@A_1bcdef"})
    request_for(message_to(chat));
  for (const std::string chat :
       {"", "0", "4 2", "+42", "42x", "4.2", "abcd", "@", "@ab", "@a-bcd", "@abc d", "@abc\r\nx",
        "99999999999999999999", "@abcdefghijklmnopqrstuvwxyz01234567"}) {
    INFO(chat);
    CHECK(refusal_of(message_to(chat)) == "telegram_invalid_chat");
  }
}

TEST_CASE("D-C14: who blocked the bot is not tried again, for this message or another") {
  struct row {
    int code;
    std::string description, reason;
  };
  for (const auto& x : std::vector<row>{
           {403, "Forbidden: bot was blocked by the user", "telegram_blocked"},
           {403, "Forbidden: user is deactivated", "telegram_blocked"},
           {403, "Forbidden: bot was kicked from the group chat", "telegram_blocked"},
           {400, "Bad Request: chat not found", "telegram_chat_not_found"},
           {400, "Bad Request: PEER_ID_INVALID", "telegram_chat_not_found"},
           {400, "Bad Request: CHAT_WRITE_FORBIDDEN", "telegram_no_rights"},
           {400, "Bad Request: not enough rights to send text messages to the chat",
            "telegram_no_rights"},
           {400, "Bad Request: have no rights to send a message", "telegram_no_rights"},
           {400, "Bad Request: need administrator rights in the channel chat",
            "telegram_no_rights"},
       }) {
    INFO(x.description);
    auto result = outcome_of_error(x.code, x.description);
    check(result, kind::permanent, x.reason);
    CHECK(result.suppress_recipient);
    CHECK(result.detail.find(x.description) != std::string::npos);
  }
}

TEST_CASE("other refusals are final, but not held against the chat") {
  for (const auto& [description, reason] : std::vector<std::pair<std::string, std::string>>{
           {"Bad Request: message text is empty", "telegram_bad_text"},
           {"Bad Request: message is too long", "telegram_bad_text"},
           {"Bad Request: can't parse entities", "telegram_bad_text"},
           {"Bad Request: something new", "telegram_refused"},
       }) {
    auto result = outcome_of_error(400, description);
    check(result, kind::permanent, reason);
    CHECK_FALSE(result.suppress_recipient);
  }
}

TEST_CASE("P-25: a token that is refused stops the bot and makes no message dead") {
  for (int code : {401, 404, 421})
    check(outcome_of_error(code, "no"), kind::hold, "telegram_token_refused");
}

TEST_CASE("D-C2: Telegram's wait is read from the body, and all of the bot waits") {
  auto body = error_body(429, "Too Many Requests: retry after 7", R"({"retry_after":7})");
  auto both = outcome_of(answered(429, body, {{"Retry-After", "9"}}));
  check(both, kind::retry_after, "http_rate_limited");
  CHECK(both.wait_hint == 7s);
  CHECK(both.pause_channel);
  CHECK(outcome_of(answered(429, error_body(429, "x"), {{"Retry-After", "9"}})).wait_hint == 9s);
  CHECK(outcome_of(answered(429, error_body(429, "x"))).wait_hint == 5s);
  auto odd = outcome_of(answered(429, error_body(429, "x", R"({"retry_after":"soon"})")));
  CHECK(odd.wait_hint == 5s);
  // Not the API's own answer, but a limit all the same.
  auto proxy = outcome_of(answered(429, "<html>", {{"Retry-After", "9"}}));
  check(proxy, kind::retry_after, "http_rate_limited");
  CHECK(proxy.wait_hint == 9s);
  CHECK(proxy.pause_channel);
}

TEST_CASE("D-C7: `ok:false` under a status of success is an error") {
  auto limit =
      outcome_of(answered(200, error_body(429, "Too Many Requests", R"({"retry_after":7})")));
  check(limit, kind::retry_after, "http_rate_limited");
  CHECK(limit.wait_hint == 7s);
  CHECK(limit.provider_status == 200);
  CHECK(limit.provider_code == "429");
  check(outcome_of(answered(200, error_body(403, "Forbidden"))), kind::permanent,
        "telegram_blocked");
}

TEST_CASE("P-11: only `ok:true` is a success, whatever else is in it") {
  auto good = outcome_of(
      answered(200, R"({"ok":true,"new":1,"result":{"message_id":77,"chat":{"id":42}}})"));
  check(good, kind::sent, "");
  CHECK(good.provider_message_id == "77");
  check(outcome_of(answered(200, R"({"ok":true})")), kind::sent, "");
  for (const std::string body :
       {"", "ok", "{}", "[]", R"({"ok":"true"})", R"({"ok":false})",
        R"({"ok":false,"error":"invalid_auth"})", R"({"ok":false,"error_code":7})", "<html>"}) {
    INFO(body);
    check(outcome_of(answered(200, body)), kind::unknown, "telegram_bad_answer");
  }
}

TEST_CASE("D-D4: a success that was cut may be none") {
  auto cut = answered(200, R"({"ok":true,"result":{"message_id":77}})");
  cut.body_complete = false;
  check(outcome_of(cut), kind::unknown, "telegram_bad_answer");
}

TEST_CASE("what is not the API's own answer is never held against a chat") {
  for (int status = 200; status < 600; ++status) {
    INFO(status);
    auto result = outcome_of(answered(status, "<html>no</html>"));
    CHECK_FALSE(result.suppress_recipient);
    CHECK(result.kind != kind::sent);
  }
  check(outcome_of(answered(403, "<html>")), kind::hold, "http_forbidden");
  check(outcome_of(answered(400, "<html>")), kind::unknown, "telegram_bad_answer");
}

TEST_CASE("P-7: a lost answer and a server's error leave it open, since there is no key") {
  check(outcome_of(ended(http_event::timed_out, send_phase::wait_reply, true)), kind::unknown,
        "http_reply_timeout");
  check(outcome_of_error(500, "Internal Server Error"), kind::unknown, "http_server_error");
  check(outcome_of_error(502, "Bad Gateway"), kind::unknown, "http_server_error");
  check(outcome_of(answered(504, "<html>")), kind::unknown, "telegram_bad_answer");
  check(outcome_of_error(500, "Internal Server Error: restart"), kind::retry,
        "telegram_restarting");
  auto later = outcome_of(answered(503, error_body(503, "later"), {{"Retry-After", "7"}}));
  check(later, kind::retry_after, "http_unavailable");
  CHECK(later.pause_channel);
}

TEST_CASE("a group that became a supergroup gets the next attempt at its new number") {
  auto how = dialect();
  auto body = error_body(400, "Bad Request: group chat was upgraded to a supergroup chat",
                         R"({"migrate_to_chat_id":-1009007199254740})");
  check(outcome_of(answered(400, body), how, "-42"), kind::retry, "telegram_chat_migrated");
  CHECK(request_for(message_to("-42"), how).body.find(R"("chat_id":-1009007199254740,)")
        != std::string::npos);
  CHECK(request_for(message_to("-43"), how).body.find(R"("chat_id":-43,)") != std::string::npos);
  // It moves on once more.
  body = error_body(400, "x", R"({"migrate_to_chat_id":-7})");
  outcome_of(answered(400, body), how, "-42");
  CHECK(request_for(message_to("-42"), how).body.find(R"("chat_id":-7,)") != std::string::npos);
}

TEST_CASE("only the latest migrations are remembered") {
  chat_migrations known{2};
  known.add(1, 11);
  known.add(2, 12);
  known.add(2, 22);
  known.add(5, 5);
  CHECK(known.size() == 2);
  known.add(3, 13);
  CHECK(known.size() == 2);
  CHECK(known.current(1) == 1);
  CHECK(known.current(2) == 22);
  CHECK(known.current(3) == 13);
}

TEST_CASE("the token is in no text") {
  for (const std::string& echo :
       {"/bot" + token + "/sendMessage", "bot123456789%3A" + token.substr(token.find(':') + 1)}) {
    auto result = outcome_of_error(404, "no route " + echo);
    CHECK(result.detail.find("secret_secret") == std::string::npos);
    CHECK(result.detail.find("no route") != std::string::npos);
  }
}

TEST_CASE("settings for Telegram that cannot work are refused with the option's name") {
  for (const std::string bad : {"", "123", "123:", ":abcdefghijk", "abc:abcdefghijkl",
                                "123:abcdefghij/klm", "123:abcdefghij klm", "123:abc\r\ndefghij"}) {
    telegram_config config;
    config.token = bad;
    auto result = telegram_dialect::make(config);
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    CHECK(render(result.error()).find("telegram-token-file") != std::string::npos);
    CHECK(render(result.error()).find("abcdefghij") == std::string::npos);
  }
  telegram_config config;
  config.token = token;
  config.api_url = "http://api.telegram.org";
  CHECK_FALSE(telegram_dialect::make(config));
}

} // namespace
} // namespace notify
