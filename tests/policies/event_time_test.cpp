#include "actors/event_time.hpp"

#include <catch2/catch.hpp>

#include <utility>

namespace notify {
namespace {

constexpr int64_t second = 1'000'000;

TEST_CASE("an RFC 3339 time is read as microseconds in UTC") {
  const std::pair<const char*, int64_t> times[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2026-09-01T16:00:00Z", 1788278400 * second},
      {"2026-09-01t16:00:00z", 1788278400 * second},
      {"2026-09-01 16:00:00Z", 1788278400 * second},
      {"2026-09-01T19:00:00+03:00", 1788278400 * second},
      {"2026-09-01T06:30:00-09:30", 1788278400 * second},
      {"2026-09-01T16:00:00-00:00", 1788278400 * second},
      {"2026-09-02T15:59:00+23:59", 1788278400 * second},
      {"2026-09-01T16:00:00.5Z", 1788278400 * second + 500000},
      {"2026-09-01T16:00:00.123456Z", 1788278400 * second + 123456},
      {"2026-09-01T16:00:00.123456999999999Z", 1788278400 * second + 123456},
      {"2026-09-01T16:00:00.000000+00:00", 1788278400 * second},
      {"2024-02-29T00:00:00Z", 1709164800 * second},
      {"1970-01-01T01:00:00+01:00", 0},
      {"1969-12-31T23:00:00-01:00", 0},
      {"9999-12-31T23:59:59.999999Z", 253402300799999999},
  };
  for (const auto& [text, expected] : times) {
    INFO(text);
    CHECK(parse_event_time(text) == expected);
  }
}

TEST_CASE("a leap second counts as the last microsecond of its minute") {
  auto expected = 1483228800 * second - 1;
  CHECK(parse_event_time("2016-12-31T23:59:60Z") == expected);
  CHECK(parse_event_time("2016-12-31T23:59:60.7Z") == expected);
  CHECK(parse_event_time("2017-01-01T02:59:60+03:00") == expected);
  CHECK_FALSE(parse_event_time("2016-12-31T22:59:60Z"));
  CHECK_FALSE(parse_event_time("2016-12-31T23:59:60+01:00"));
}

TEST_CASE("what is not an RFC 3339 time between 1970 and 9999 is refused") {
  for (auto text : {"",
                    "2026-09-01",
                    "2026-09-01T16:00Z",
                    "2026-09-01T16:00:00",
                    "2026-09-01T16:00:00.Z",
                    "2026-09-01T16:00:00,5Z",
                    "2026-09-01T16:00:00+3",
                    "2026-09-01T16:00:00+0300",
                    "2026-09-01T16:00:00+24:00",
                    "2026-09-01T16:00:00+03:60",
                    "2026-09-01T16:00:00Z ",
                    " 2026-09-01T16:00:00Z",
                    "2026-9-1T16:00:00Z",
                    "+2026-09-01T16:00:00Z",
                    "2026-13-01T16:00:00Z",
                    "2026-00-01T16:00:00Z",
                    "2026-02-29T16:00:00Z",
                    "2026-04-31T16:00:00Z",
                    "2026-09-00T16:00:00Z",
                    "2026-09-01T24:00:00Z",
                    "2026-09-01T16:60:00Z",
                    "2026-09-01T16:00:61Z",
                    "2026-09-01_16:00:00Z",
                    "1969-12-31T23:59:59.999999Z",
                    "1970-01-01T00:59:59+01:00",
                    "9999-12-31T23:59:59-00:01",
                    "10000-01-01T00:00:00Z",
                    "0000-01-01T00:00:00Z",
                    "1788278400",
                    "yesterday"}) {
    INFO(text);
    CHECK_FALSE(parse_event_time(text));
  }
}

TEST_CASE("people see a time to the minute in UTC") {
  CHECK(format_event_time(0) == "1970-01-01 00:00 UTC");
  CHECK(format_event_time(1788278400 * second + 59 * second) == "2026-09-01 16:00 UTC");
  CHECK(format_event_time(253402300799999999) == "9999-12-31 23:59 UTC");
}

TEST_CASE("times are written for programs so that they can be read back") {
  CHECK(format_rfc3339(0) == "1970-01-01T00:00:00Z");
  CHECK(format_rfc3339(1788278400 * second) == "2026-09-01T16:00:00Z");
  CHECK(format_rfc3339(1788278459 * second + 1) == "2026-09-01T16:00:59.000001Z");
  for (auto us :
       {int64_t{0}, int64_t{1}, 1788278459 * second + 120000, int64_t{253402300799999999}})
    CHECK(parse_event_time(format_rfc3339(us)) == us);
}

} // namespace
} // namespace notify
