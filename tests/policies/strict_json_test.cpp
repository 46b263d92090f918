#include "actors/strict_json.hpp"

#include "actors/utf8.hpp"

#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include <utility>

namespace notify {
namespace {

TEST_CASE("a number is written plainly, as PostgreSQL writes it") {
  const std::pair<const char*, const char*> numbers[] = {
      {"0", "0"},         {"-0", "0"},         {"-0.0", "0.0"},      {"7", "7"},
      {"-7", "-7"},       {"1.10", "1.10"},    {"12.345", "12.345"}, {"1e3", "1000"},
      {"1E+3", "1000"},   {"1.5e1", "15"},     {"1.50e1", "15.0"},   {"1.5e3", "1500"},
      {"1e-3", "0.001"},  {"1.0e-2", "0.010"}, {"12.5e-1", "1.25"},  {"-12.5e-3", "-0.0125"},
      {"0.5e1", "5"},     {"0.05e1", "0.5"},   {"0e5", "0"},         {"0.00e1", "0.0"},
      {"100e-2", "1.00"}, {"0.001e3", "1"},    {"0.001e5", "100"},   {"-0e3", "0"},
  };
  for (const auto& [text, expected] : numbers) {
    INFO(text);
    CHECK(plain_number(text) == expected);
  }
}

TEST_CASE("a plain number has a bounded length") {
  CHECK(plain_number("1e399")->size() == 400);
  CHECK_FALSE(plain_number("1e400"));
  CHECK(plain_number("1e-399")->size() == 401);
  CHECK_FALSE(plain_number("1e-400"));
  CHECK_FALSE(plain_number("0." + std::string(1'000'000, '0') + "1e1000001"));
}

TEST_CASE("numbers can be read as text without loss") {
  json_options options;
  options.numbers_as_text = true;
  auto document = read_json(R"([1, -2.50, 1e2, 18446744073709551616, "3"])", options);
  REQUIRE(document.fault == json_fault::none);
  CHECK(document.value
        == boost::json::parse(R"(["1", "-2.50", "100", "18446744073709551616", "3"])"));
  CHECK(read_json("7", options).value == "7");
  CHECK(read_json("1.25", options).value == "1.25");
}

TEST_CASE("reading tells where a text stops being JSON") {
  auto document = read_json("{\"a\": x}", {});
  CHECK(document.fault == json_fault::syntax);
  CHECK(document.position == 6);
  CHECK(read_json("{} {}", {}).position == 3);
}

TEST_CASE("well-formed UTF-8 is told from all else") {
  for (auto text : {"", "abc", "é", "₽", "😀", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF",
                    "\xC2\x80", "\xE0\xA0\x80", "\xF0\x90\x80\x80"})
    CHECK_FALSE(invalid_utf8(text));
  CHECK(invalid_utf8("ab\xFF") == 2u);
  CHECK(invalid_utf8("\xE2\x82") == 0u);
  CHECK(invalid_utf8("x\xC0\x80") == 1u);
  CHECK(invalid_utf8("\xED\xA0\x80") == 0u);
  CHECK(invalid_utf8("\xF4\x90\x80\x80") == 0u);
}

TEST_CASE("the parser and our own check agree about every short sequence of bytes") {
  // The parser guards the database, the check only explains; a gap in the parser would show here.
  std::string text = "\"....\"";
  auto agree = [&](size_t length) {
    auto body = std::string_view{text}.substr(1, length);
    std::string json{"\""};
    json += body;
    json += '"';
    return (read_json(json, {}).fault == json_fault::none) == !invalid_utf8(body).has_value();
  };
  const unsigned char edges[] = {0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF};
  size_t differences = 0;
  for (int first = 0x80; first < 0x100; ++first) {
    text[1] = static_cast<char>(first);
    differences += agree(1) ? 0 : 1;
    for (auto second : edges) {
      text[2] = static_cast<char>(second);
      differences += agree(2) ? 0 : 1;
      for (auto third : edges) {
        text[3] = static_cast<char>(third);
        differences += agree(3) ? 0 : 1;
        for (auto fourth : edges) {
          text[4] = static_cast<char>(fourth);
          differences += agree(4) ? 0 : 1;
        }
      }
    }
  }
  CHECK(differences == 0);
}

TEST_CASE("the text of a member is found only at the top") {
  CHECK(member_text(R"({"a":1,"b":2})", "b") == "2");
  CHECK(member_text(R"({"a":{"b":1}})", "b") == std::nullopt);
  CHECK(member_text(R"({"b":1,"b":[2]})", "b") == "[2]");
  CHECK(member_text("{}", "b") == std::nullopt);
  CHECK(member_text("[1]", "b") == std::nullopt);
  CHECK(member_text("\n {\t\"b\" : true\r\n}", "b") == "true");
  CHECK(member_text(R"({"b":"a\\"})", "b") == R"("a\\")");
  CHECK(member_text(R"({"\"":"x","b":-1.5e3})", "b") == "-1.5e3");
}

} // namespace
} // namespace notify
