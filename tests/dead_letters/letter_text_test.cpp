#include "tools/dead_letter_text.hpp"
#include "tools/printable.hpp"

#include "tests/dead_letters/letter_samples.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("only text without control characters is shown as it is") {
  CHECK(printable_line("order-1 \xd1\x8f", 100) == "order-1 \xd1\x8f");
  CHECK(printable_line("", 100).empty());
  // Commands for a terminal: C0 and C1.
  CHECK(printable_line("\x1b[2J", 100) == "(4 bytes, not text: 1b5b324a)");
  CHECK(printable_line("\xc2\x9b", 100) == "(2 bytes, not text: c29b)");
  CHECK(printable_line("\xff", 100) == "(1 bytes, not text: ff)");
  CHECK(printable_line("a\nb", 100) == "(3 bytes, not text: 610a62)");
  CHECK(printable_text("a\nb", 100) == "a\nb");
}

TEST_CASE("long bytes are cut, never inside a character, and their size is told") {
  CHECK(printable_line("aaaaa", 3) == "aaa... (5 bytes)");
  CHECK(printable_line("a\xd1\x8f\xd1\x8f", 2) == "a... (5 bytes)");
  CHECK(printable_line(std::string(100, '\0'), 2) == "(100 bytes, not text: 0000...)");
}

TEST_CASE("a letter's page has every field, null told from empty") {
  auto letter = text_letter(17, "{\n}");
  letter.record.key = {};
  letter.record.headers = {{"a", {true, ""}}, {"b", {}}};
  letter.info.published_us = 1'788'278'400'000'000;
  letter.info.publish_note = "too_large";
  auto text = letter_page_text(letter, 100);
  CHECK(contains(text, "orders/3/1017"));
  CHECK(contains(text, "key             (null)"));
  CHECK(contains(text, "a = \n"));
  CHECK(contains(text, "b = (null)"));
  CHECK(contains(text, "2026-09-01T16:00:00Z, as a stub: too_large"));
  CHECK(contains(text, "3 bytes\n{\n}\n"));
  letter.record.value = {};
  CHECK(contains(letter_page_text(letter, 100), "value           (null)"));
}

TEST_CASE("the table has a line for each letter") {
  auto settled = text_letter(2, "x").info;
  settled.replay_result = "stored";
  auto text = letter_table({text_letter(1, "x").info, settled});
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(contains(text, "orders/3/1001"));
  CHECK(contains(text, "stored"));
}

TEST_CASE("JSON tells text from bytes, and null from empty") {
  auto letter = sample_letter(17);
  auto text = boost::json::serialize(to_json(letter, 100));
  CHECK(contains(text, R"("id":"17")"));
  CHECK(contains(text, R"("value":{"bytes":3,"hex":"7600ff","cut":false})"));
  CHECK(contains(text, R"("value":null)"));
  CHECK(contains(text, R"("published_at":null)"));
  letter.record.value = {true, "abc"};
  CHECK(contains(boost::json::serialize(to_json(letter, 2)),
                 R"("value":{"bytes":3,"text":"ab","cut":true})"));
}

} // namespace
} // namespace notify
