#include "messages/safe_text.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace std::string_literals;

TEST_CASE("safe text keeps well-formed UTF-8 as it is") {
  for (auto text :
       {""s, "plain"s, "Привет"s, "\xF0\x9F\x98\x80 ok"s, "\xF4\x8F\xBF\xBF"s, "a\r\nb"s})
    CHECK(safe_text(text, 100) == text);
}

TEST_CASE("safe text replaces NUL and every byte outside a character") {
  const auto bad = "\xEF\xBF\xBD"s;
  CHECK(safe_text("a\0b"s, 100) == "a" + bad + "b");
  CHECK(safe_text("\xFF"s, 100) == bad);
  CHECK(safe_text("\xC0\x80"s, 100) == bad + bad);
  CHECK(safe_text("\xED\xA0\x80"s, 100) == bad + bad + bad);
  CHECK(safe_text("\xF4\x90\x80\x80"s, 100) == bad + bad + bad + bad);
  CHECK(safe_text("x\xD0"s, 100) == "x" + bad);
  CHECK(safe_text("\xE2\x82z"s, 100) == bad + bad + "z");
}

TEST_CASE("safe text is cut before the character that does not fit") {
  CHECK(safe_text("абв", 5) == "аб");
  CHECK(safe_text("абв", 6) == "абв");
  CHECK(safe_text("abc", 0).empty());
  CHECK(safe_text("ab\xFF", 4) == "ab");
  CHECK(safe_text("\xF0\x9F\x98\x80", 3).empty());
}

} // namespace
} // namespace notify
