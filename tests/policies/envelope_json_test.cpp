#include "tests/policies/records.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

namespace notify {
namespace {

using test::read;
using test::reason_for;
using test::with_payload;

std::string payload_of(std::string_view value) {
  auto result = read(value);
  INFO(test::reason_of(result));
  REQUIRE(std::holds_alternative<valid_event>(result));
  return std::get<valid_event>(result).data.payload;
}

TEST_CASE("a record without a value is a tombstone, with or without a key") {
  kafka_record record;
  CHECK(test::reason_of(read_envelope(record, {})) == "tombstone");
  record.key = {true, "order-77"};
  CHECK(test::reason_of(read_envelope(record, {})) == "tombstone");
}

TEST_CASE("an empty value is not a tombstone") {
  CHECK(reason_for("") == "empty_value");
}

TEST_CASE("D-F8: the size limit is exact and comes before everything else") {
  envelope_limits limits;
  limits.max_value_bytes = test::paid_event.size();
  CHECK(test::reason_of(read_envelope(test::record_of(test::paid_event), limits)).empty());
  --limits.max_value_bytes;
  CHECK(test::reason_of(read_envelope(test::record_of(test::paid_event), limits)) == "too_large");
  for (size_t megabytes : {1, 10, 100})
    CHECK(reason_for(std::string(megabytes * 1024 * 1024 + 1, '\xFF')) == "too_large");
}

TEST_CASE("K-28: what is not JSON is refused") {
  for (auto text : {" ",
                    "\n\n",
                    "{",
                    "}",
                    "[1,2",
                    "nul",
                    "not json",
                    "{'a':1}",
                    "{\"a\":1,}",
                    "{\"a\" 1}",
                    "{\"a\":01}",
                    "{\"a\":+1}",
                    "{\"a\":.5}",
                    "{\"a\":1.}",
                    "{\"a\":NaN}",
                    "{\"a\":Infinity}",
                    "{\"a\":-}",
                    "{\"a\":1e}",
                    "{\"a\":\"\t\"}",
                    "{\"a\":\"\\x\"}",
                    "{\"a\":\"\\u12G4\"}",
                    "{\"a\":\"x}",
                    "{}{}",
                    "{} x",
                    "// c\n{}",
                    "{/*c*/}",
                    "\xEF\xBB\xBF{}"}) {
    INFO(text);
    CHECK(reason_for(text) == "not_json");
  }
  auto text = std::string{test::paid_event};
  for (size_t length = 1; length < text.size(); ++length)
    CHECK(reason_for(text.substr(0, length)) == "not_json");
}

TEST_CASE("JSON that is not an object is refused as such") {
  for (auto text : {"[]", "null", "true", "7", "1.5", "\"text\"", "[{}]"})
    CHECK(reason_for(text) == "not_an_object");
  CHECK(reason_for("[" + std::string{test::paid_event} + "]") == "not_an_object");
}

TEST_CASE("K-28: nesting is bounded, the envelope itself counted") {
  auto nested = [](size_t levels) {
    return with_payload("{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}");
  };
  CHECK(reason_for(nested(30)).empty());
  CHECK(reason_for(nested(31)) == "too_deep");
  CHECK(reason_for(std::string(1024 * 1024, '[')) == "too_deep");
  std::string objects;
  while (objects.size() < 1'000'000)
    objects += "{\"a\":";
  CHECK(reason_for(objects) == "too_deep");
}

TEST_CASE("bytes that are not UTF-8 are refused") {
  for (auto bytes :
       {"\xFF", "\x80", "\xC3\x28", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
    CHECK(reason_for(with_payload("{\"a\":\"" + std::string{bytes} + "\"}")) == "not_utf8");
    CHECK(reason_for(with_payload("{\"" + std::string{bytes} + "\":1}")) == "not_utf8");
    CHECK(reason_for(bytes) == "not_utf8");
  }
}

TEST_CASE("K-18: half of a surrogate pair is refused, a whole one is not") {
  for (auto escapes : {"\\ud800", "\\udc00", "\\ud800x", "\\ud800\\n", "\\ud800\\u0041",
                       "\\ud800\\ud800", "\\udc00\\ud800", "\\uDBFF"}) {
    INFO(escapes);
    CHECK(reason_for(with_payload("{\"a\":\"" + std::string{escapes} + "\"}")) == "not_utf8");
    CHECK(reason_for(with_payload("{\"" + std::string{escapes} + "\":1}")) == "not_utf8");
  }
  CHECK(payload_of(with_payload(R"({"a":"\ud83d\ude00"})")) == R"({"a":"\ud83d\ude00"})");
}

TEST_CASE("K-18: U+0000 is refused wherever it hides") {
  using namespace std::string_literals;
  for (auto payload :
       {R"({"a":"\u0000"})"s, R"({"a":"x\u0000y"})"s, R"({"\u0000":1})"s, R"({"a\u0000":1})"s,
        R"({"a":["b",{"c":"\u0000"}]})"s, R"({"a":"\\\u0000"})"s, R"({"a":"\\u0000 \u0000"})"s,
        "{\"a\":\""s + std::string(5000, 'x') + "\\u0000\"}", "{\"a\":\"\0\"}"s, "{\"a\":\0 1}"s}) {
    INFO(payload);
    CHECK(reason_for(with_payload(payload)) == "nul_character");
  }
  CHECK(reason_for(test::with_member("unknown", R"("\u0000")")) == "nul_character");
  CHECK(reason_for("\0"s) == "nul_character");
}

TEST_CASE("K-18: an escaped backslash before u0000 is harmless") {
  for (auto payload : {R"({"a":"\\u0000"})", R"({"\\u0000":1})", R"({"a":"\\\\u0000"})"})
    CHECK(payload_of(with_payload(payload)) == payload);
}

TEST_CASE("a value-level fault still tells which event it was") {
  for (auto payload : {R"({"a":"\u0000"})", R"({"a":1e400000})"}) {
    auto result = read(with_payload(payload));
    REQUIRE(std::holds_alternative<refusal>(result));
    CHECK(to_string(std::get<refusal>(result).event_id.value())
          == "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01");
  }
}

TEST_CASE("numbers pass unchanged, whatever a double would make of them") {
  for (auto number : {"12.345", "0.1", "9223372036854775807", "9223372036854775808",
                      "18446744073709551615", "18446744073709551616", "-9223372036854775808",
                      "-9223372036854775809", "-0", "-0.0", "1.10", "1e3", "1E+3", "1e-3",
                      "123456789012345678901234567890.123456789", "1e308", "5e-324", "1e399"}) {
    auto payload = "{\"amount\": " + std::string{number} + "}";
    INFO(number);
    CHECK(payload_of(with_payload(payload)) == payload);
  }
}

TEST_CASE("numbers that would grow beyond reason are refused") {
  for (auto number : {"1e400", "1e400000", "1e-400000", "1e130000", "1e99999999999999999999",
                      "-1e-99999999999999999999", "0e500", "123e398"}) {
    INFO(number);
    CHECK(reason_for(with_payload("{\"n\":" + std::string{number} + "}")) == "invalid_number");
  }
  CHECK(reason_for(with_payload("{\"n\":" + std::string(400, '9') + "}")).empty());
  CHECK(reason_for(with_payload("{\"n\":" + std::string(401, '9') + "}")) == "invalid_number");
  CHECK(reason_for(with_payload("{\"n\":0." + std::string(399, '9') + "}")).empty());
  CHECK(reason_for(with_payload("{\"n\":0." + std::string(400, '9') + "}")) == "invalid_number");
}

TEST_CASE("many small numbers may not grow beyond reason together") {
  auto list = [](size_t count) {
    std::string result = "{\"n\":[0";
    for (size_t i = 0; i < count; ++i)
      result += ",1e399";
    return with_payload(result + "]}");
  };
  CHECK(reason_for(list(100)).empty());
  CHECK(reason_for(list(1000)) == "invalid_number");
}

TEST_CASE("the number of members is bounded, list elements counted") {
  envelope_limits limits;
  limits.max_members = 100; // Seven of them are the envelope's, one is the list.
  auto reason = [&](size_t elements) {
    std::string list = "{\"a\":[";
    for (size_t i = 0; i < elements; ++i)
      list += i == 0 ? "{}" : ",{}";
    return read_envelope(test::record_of(with_payload(list + "]}")), limits);
  };
  CHECK(test::reason_of(reason(92)).empty());
  auto refused = reason(93);
  CHECK(test::reason_of(refused) == "too_many_members");
  CHECK(std::get<refusal>(refused).event_id.has_value());
  std::string members = "{\"a\":0";
  while (members.size() < 1'000'000)
    members += ",\"a\":0";
  CHECK(reason_for(with_payload(members + "}")) == "too_many_members");
}

TEST_CASE("the payload's text is found among look-alikes") {
  const std::string payload = R"({ "payload" : {"a":"}"}, "b":"\"{[" , "c":[{"]":1}] })";
  for (auto before : {"", R"("x":{"payload":{"no":1}},)", R"("x":"\"payload\":{}",)",
                      R"("x":"\\","y":[1,"payload",{}],)", R"("x" : -1.5e3 , "y":null,)"}) {
    auto text = with_payload(payload);
    text.insert(1, before);
    CHECK(payload_of(text) == payload);
  }
  auto escaped = with_payload(payload);
  escaped.replace(escaped.find("\"payload\""), 9, "\"p\\u0061yload\"\n\t");
  CHECK(payload_of(escaped) == payload);
}

TEST_CASE("reading an envelope is total") {
  rc::prop("any bytes are either an event or refused with a reason and a detail", [] {
    auto bytes = *rc::gen::arbitrary<std::string>();
    auto result = read(bytes);
    const auto* refused = std::get_if<refusal>(&result);
    RC_ASSERT(refused == nullptr || (!refused->detail.empty()));
  });
  rc::prop("a damaged envelope never crashes the reader", [] {
    std::string text{test::paid_event};
    auto at = *rc::gen::inRange<size_t>(0, text.size());
    text[at] = *rc::gen::arbitrary<char>();
    auto result = read(text);
    if (const auto* x = std::get_if<valid_event>(&result))
      RC_ASSERT(boost::json::parse(x->data.payload).is_object());
  });
}

} // namespace
} // namespace notify
