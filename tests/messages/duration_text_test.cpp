#include "messages/duration_text.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace notify {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a duration is written in its largest exact unit, and read back") {
  const std::pair<caf::timespan, const char*> samples[] = {
      {0s, "0s"},       {30s, "30s"}, {90s, "90s"},
      {10min, "10min"}, {72h, "72h"}, {1500ms, "1500ms"},
      {7us, "7us"},     {1ns, "1ns"}, {caf::timespan::max(), "9223372036854775807ns"}};
  for (const auto& [time, text] : samples) {
    CHECK(duration_text(time) == text);
    CHECK(parse_duration(text) == time);
  }
}

TEST_CASE("what is no duration is not read as one") {
  for (const auto* text : {"", "s", "10", "10m", "10 min", " 10s", "10s ", "10S", "1.5h", "-5s",
                           "+5s", "1h30min", "0x10s", "10days", "ten s"}) {
    INFO(text);
    CHECK_FALSE(parse_duration(text));
    CHECK_FALSE(duration_overflows(text));
  }
}

TEST_CASE("a duration too large for its unit is told from what is none") {
  for (const auto* text : {"9999999999h", "9223372036854775808ns", "99999999999999999999999s"}) {
    CHECK_FALSE(parse_duration(text));
    CHECK(duration_overflows(text));
  }
  CHECK(duration_overflows("-9999999999h"));
  CHECK(parse_duration("2562047h"));
  CHECK_FALSE(parse_duration("2562048h"));
}

} // namespace
} // namespace notify
