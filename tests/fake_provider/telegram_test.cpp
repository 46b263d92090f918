#include "tests/fake_provider/fixture.hpp"

#include <catch2/catch.hpp>

namespace notify::fake::test {
namespace {

TEST_CASE("Telegram takes a message and tells its id") {
  provider x{{}};
  auto answer = ask(x.http_port(), telegram());
  CHECK(answer.status == 200);
  CHECK(answer.body.starts_with(R"({"ok":true,"result":{"message_id":1,)"));
  CHECK(answer.body.find(R"("chat":{"id":42})") != std::string::npos);
  auto seen = x.records();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].via == protocol::telegram);
  CHECK(seen[0].recipient == "42");
  CHECK(seen[0].path == "/bot12:token/sendMessage");
}

TEST_CASE("Telegram knows no keys: a message said twice is sent twice") {
  provider x{{}};
  ask(x.http_port(), telegram());
  ask(x.http_port(), telegram());
  CHECK(x.tallies()[0].accepted == 2);
}

TEST_CASE("a 429 of Telegram says its wait in body and header") {
  provider x{{}};
  x.set_script(R"([{"times": 1, "action": {"named": "telegram_429", "retry_after": 7}}])");
  auto answer = ask(x.http_port(), telegram());
  CHECK(answer.status == 429);
  CHECK(answer.headers.at("retry-after") == "7");
  CHECK(answer.body
        == R"({"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7",)"
           R"("parameters":{"retry_after":7}})");
  CHECK(ask(x.http_port(), telegram()).status == 200);
}

TEST_CASE("Telegram refuses what the real one would") {
  provider_config config;
  config.known.telegram_token = "12:token";
  provider x{config};
  CHECK(ask(x.http_port(), telegram()).status == 200);
  CHECK(ask(x.http_port(), post("/bot12:other/sendMessage", "{}")).status == 401);
  CHECK(ask(x.http_port(), post("/bot12:token/sendPhoto", "{}")).status == 404);
  auto description_of = [&](const std::string& body) {
    return ask(x.http_port(), post("/bot12:token/sendMessage", body)).body;
  };
  CHECK(description_of(R"({"text":"Hi"})").find("chat_id is empty") != std::string::npos);
  CHECK(description_of(R"({"chat_id":"@a"})").find("text is empty") != std::string::npos);
  CHECK(description_of("[]").find("can't parse") != std::string::npos);
  CHECK(x.records().back().answered == 400);
}

TEST_CASE("a Telegram text may have 4096 code units of UTF-16") {
  provider x{{}};
  auto fits = [&](size_t smileys, size_t letters) {
    std::string text(letters, 'x');
    for (size_t i = 0; i < smileys; ++i)
      text += "\xF0\x9F\x98\x80";
    return ask(x.http_port(), telegram(text)).status == 200;
  };
  CHECK(fits(0, 4096));
  CHECK_FALSE(fits(0, 4097));
  CHECK(fits(2048, 0));
  CHECK_FALSE(fits(2048, 1));
}

} // namespace
} // namespace notify::fake::test
