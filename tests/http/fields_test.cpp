#include "http/json_body.hpp"
#include "http/query.hpp"

#include <catch2/catch.hpp>

// Bounded reading of what clients send.

namespace notify::http {
namespace {

fields query(const std::string& text) {
  request x;
  x.query = text;
  return read_query(x);
}

fields body(const std::string& text, const std::string& type = "application/json") {
  request x;
  x.body = text;
  x.headers.emplace_back("Content-Type", type);
  return read_body(x);
}

/// Status and body of the refusal, or an empty text.
std::string refusal(fields x) {
  auto result = x.finish();
  return result ? std::to_string(result->status) + " " + result->body : std::string{};
}

TEST_CASE("a query's values are decoded and typed") {
  auto x = query("name=a+b%2Bc&limit=50&on=true&from=2026-09-01T16:00:00%2B02:00"
                 "&id=0198c3f0-0000-8000-8000-000000000001&&status=sent");
  CHECK(x.text("name") == "a b+c");
  CHECK(x.number("limit", 1, 500) == 50);
  CHECK(x.flag("on") == true);
  CHECK(x.time("from") == 1'788'271'200'000'000);
  CHECK(x.id("id") == uuid::parse("0198c3f0-0000-8000-8000-000000000001"));
  CHECK(x.choice("status", {"sent", "dead"}) == "sent");
  CHECK_FALSE(x.text("missing"));
  CHECK_FALSE(x.finish());
}

TEST_CASE("a value that does not fit is refused by its name") {
  auto x = query("limit=501&name=x");
  CHECK_FALSE(x.number("limit", 1, 500));
  CHECK(x.text("name") == "x");
  CHECK(refusal(std::move(x))
        == R"(400 {"error":{"code":"INVALID_REQUEST","message":"The parameter limit must be an )"
           R"(integer from 1 to 500.","details":{"parameter":"limit"}}})");
  for (auto bad :
       {"n=", "n=1x", "n=+1", "n=1e3", "n=99999999999999999999", "n=-1", "n", "n=1&n=2"}) {
    auto y = query(bad);
    CHECK_FALSE(y.number("n", 0, 500));
    CHECK(y.finish());
  }
  for (auto bad : {"t=yesterday", "t=2026-09-01", "t=2026-09-01T16:00:00+02:00", "t="}) {
    auto y = query(bad);
    CHECK_FALSE(y.time("t"));
    CHECK(y.finish());
  }
  auto z = query("id=7");
  CHECK_FALSE(z.id("id"));
  CHECK(z.finish());
  auto flag = query("on=yes");
  CHECK_FALSE(flag.flag("on"));
  CHECK(flag.finish());
}

TEST_CASE("an unknown name is refused with the nearest right one") {
  auto x = query("statsu=sent");
  x.choice("status", {"sent"});
  x.number("limit", 1, 5);
  CHECK(refusal(std::move(x))
        == R"(400 {"error":{"code":"INVALID_REQUEST","message":"There is no parameter statsu, did )"
           R"(you mean status?","details":{"parameter":"statsu","nearest":"status"}}})");
  CHECK(refusal(query("a=b")).find("this takes none") != std::string::npos);
}

TEST_CASE("a wrong word is refused with the nearest right one") {
  auto x = query("status=snet");
  x.choice("status", {"sent", "dead"});
  CHECK(refusal(std::move(x)).find("one of sent, dead; did you mean sent?") != std::string::npos);
}

TEST_CASE("a repeated parameter is a list where one is asked for, and refused elsewhere") {
  auto x = query("status=sent&status=dead&status=sent");
  CHECK(x.choices_of("status", {"sent", "dead"}) == std::vector<std::string>{"sent", "dead"});
  CHECK_FALSE(x.finish());
  auto one = query("status=sent");
  CHECK(one.choices_of("status", {"sent", "dead"}) == std::vector<std::string>{"sent"});
  auto twice = query("name=a&name=b");
  CHECK_FALSE(twice.text("name"));
  CHECK(refusal(std::move(twice)).find("is given more than once") != std::string::npos);
  auto wrong = query("status=sent&status=none");
  wrong.choices_of("status", {"sent", "dead"});
  CHECK(wrong.finish());
}

TEST_CASE("hostile queries are refused whole") {
  CHECK(refusal(query("a=%")).find("cannot be decoded") != std::string::npos);
  CHECK(refusal(query("%ff=1")).find("cannot be decoded") != std::string::npos);
  CHECK(refusal(query("a=%00")).find("cannot be decoded") != std::string::npos);
  std::string many;
  for (auto i = 0; i < 65; ++i)
    many += "a" + std::to_string(i) + "=&";
  CHECK(refusal(query(many)).find("too many parameters") != std::string::npos);
  auto x = query("name=" + std::string(257, 'x'));
  CHECK_FALSE(x.text("name"));
  CHECK(x.finish());
}

TEST_CASE("a body's members are typed, unknown ones refused with the nearest right name") {
  auto x = body(R"({"reason":"why","limit":"9223372036854775807","dry_run":true,)"
                R"("filter":{"status":["dead"]}})",
                "Application/JSON; charset=utf-8");
  CHECK(x.text("reason") == "why");
  CHECK(x.number("limit", 0, std::numeric_limits<int64_t>::max())
        == std::numeric_limits<int64_t>::max());
  CHECK(x.flag("dry_run") == true);
  auto filter = x.nested("filter");
  CHECK(filter.choices_of("status", {"dead"}) == std::vector<std::string>{"dead"});
  CHECK_FALSE(filter.finish());
  CHECK_FALSE(x.finish());
  auto wrong = body(R"({"filter":{"stauts":"dead"}})");
  auto inner = wrong.nested("filter");
  inner.text("status");
  CHECK(refusal(std::move(inner)).find("no member filter.stauts, did you mean filter.status?")
        != std::string::npos);
}

TEST_CASE("a body that is no JSON object of a sane size is refused") {
  CHECK(refusal(body("{}", "text/plain")).starts_with("415 "));
  CHECK(refusal(body("a=b", "application/x-www-form-urlencoded")).starts_with("415 "));
  CHECK(refusal(body("{}", "application/jsonx")).starts_with("415 "));
  std::string deep;
  for (auto i = 0; i < 9; ++i)
    deep += R"({"a":)";
  std::string wide = "{\"a\":[0";
  for (auto i = 0; i < 1001; ++i)
    wide += ",0";
  for (const auto& bad :
       {std::string{"[]"}, std::string{"1"}, std::string{"{"}, std::string{"{} {}"},
        std::string{"{\"a\":\"\\ud800\"}"}, std::string{"{\"a\":\"\\u0000\"}"},
        deep + "0" + std::string(9, '}'), wide + "]}"}) {
    INFO(bad);
    CHECK(refusal(body(bad)).starts_with("400 "));
  }
  CHECK(refusal(body("", "text/plain")).empty());
  auto list = body(R"({"reason":["a"]})");
  CHECK_FALSE(list.text("reason"));
  CHECK(list.finish());
}

} // namespace
} // namespace notify::http
