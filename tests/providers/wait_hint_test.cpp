#include "actors/providers/wait_hint.hpp"

#include "actors/providers/http_date.hpp"
#include "tests/providers/http_samples.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::answered;
using test::sample_time;
using hint = std::optional<caf::timespan>;

constexpr auto longest = caf::timespan::max();

struct row {
  std::string text;
  hint expected;
};

TEST_CASE("D-C1: a provider's wait is read in all its forms") {
  for (const auto& x : std::vector<row>{
           {"120", 120s},
           {" 120\t", 120s},
           {"0", 0s},
           {"1.5", 2s},
           {"2.0", 2s},
           {"0.001", 1s},
           {"-5", 0s},
           {"-0.5", 0s},
           {"120, 240", 240s},
           {"240,120", 240s},
           {"Tue, 01 Sep 2026 16:02:00 GMT", 120s},
           {"Tuesday, 01-Sep-26 16:02:00 GMT", 120s},
           {"Tue Sep  1 16:02:00 2026", 120s},
           {"tue, 01 sep 2026 16:02:00 gmt", 120s},
           {"Tue, 01 Sep 2026 15:00:00 GMT", 0s},
           {"Wed, 01 Sep 2027 16:00:00 GMT", 365 * 24h},
       }) {
    INFO(x.text);
    CHECK(parse_retry_after(x.text, sample_time) == x.expected);
  }
}

TEST_CASE("P-13: absurd waits are huge or none, and nothing throws") {
  for (const auto& x : std::vector<row>{
           {"", std::nullopt},
           {" ", std::nullopt},
           {"soon", std::nullopt},
           {"-", std::nullopt},
           {"-soon", std::nullopt},
           {".5", std::nullopt},
           {"1.", std::nullopt},
           {"1.5.5", std::nullopt},
           {"1e3", std::nullopt},
           {"0x10", std::nullopt},
           {"120s", std::nullopt},
           {"99999999999", longest},
           {"9223372036854775807", longest},
           {"9223372036854775807.5", longest},
           {"9223372036854775808", std::nullopt},
           {std::string(10'240, '9'), std::nullopt},
           {std::string(10'240, '0'), 0s},
           {std::string(10'240, ','), std::nullopt},
           {"Fri, 31 Dec 9999 23:59:59 GMT", longest},
           {"Mon, 01 Jan 0001 00:00:00 GMT", 0s},
           {"Sun, 06 Nov 1994 08:49:37 GMT", 0s},
           {"Tue, 31 Feb 2026 16:02:00 GMT", std::nullopt},
           {"Tue, 01 Sep 2026 25:02:00 GMT", std::nullopt},
           {"Tue, 01 Sep 2026 16:02:00", std::nullopt},
           {"Tue, 01 Sep 2026 16:02:00 GMT+1", std::nullopt},
           {std::string{"12\0", 3}, std::nullopt},
           {"\xFF\xFE", std::nullopt},
       }) {
    INFO(x.text.substr(0, 60));
    CHECK(parse_retry_after(x.text, sample_time) == x.expected);
    CHECK_NOTHROW(parse_limit_reset(x.text, sample_time));
  }
}

TEST_CASE("a date's year of two digits is at most 50 years ahead") {
  auto year_of = [](const std::string& text) {
    auto date = parse_http_date(text, sample_time);
    REQUIRE(date);
    return static_cast<int>(
        std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(*date)}.year());
  };
  CHECK(year_of("Sunday, 06-Nov-94 08:49:37 GMT") == 1994);
  CHECK(year_of("Sunday, 06-Nov-76 08:49:37 GMT") == 2076);
  CHECK(year_of("Sunday, 06-Nov-77 08:49:37 GMT") == 1977);
}

TEST_CASE("D-C1: a date is compared with the clock that made it") {
  http_headers headers = {{"Retry-After", "Tue, 01 Sep 2026 16:12:00 GMT"}};
  CHECK(retry_after_of(answered(503, {}, headers), sample_time) == 12min);
  headers.emplace_back("Date", "Tue, 01 Sep 2026 16:10:00 GMT");
  CHECK(retry_after_of(answered(503, {}, headers), sample_time) == 2min);
  headers.back().second = "yesterday";
  CHECK(retry_after_of(answered(503, {}, headers), sample_time) == 12min);
}

TEST_CASE("the longest of several waits counts, and a bad one does not hide a good one") {
  http_headers headers = {{"retry-after", "30"}, {"RETRY-AFTER", "60"}, {"Retry-After", "soon"}};
  CHECK(retry_after_of(answered(429, {}, headers), sample_time) == 60s);
  CHECK(retry_after_of(answered(429), sample_time) == std::nullopt);
}

TEST_CASE("a reset is a delay, or a date in seconds if it is that large") {
  CHECK(parse_limit_reset("30", sample_time) == 30s);
  CHECK(parse_limit_reset("1788278460", sample_time) == 60s);
  CHECK(parse_limit_reset("1788278000", sample_time) == 0s);
  CHECK(parse_limit_reset("1000000000", sample_time) == std::chrono::seconds{1'000'000'000});
  CHECK(parse_limit_reset("soon", sample_time) == std::nullopt);
  CHECK(limit_reset_of(answered(429, {}, {{"x-ratelimit-reset", "7"}}), sample_time) == 7s);
  CHECK(limit_reset_of(answered(429, {}, {{"x-ratelimit-reset", "7"}, {"ratelimit-reset", "9"}}),
                       sample_time)
        == 9s);
}

TEST_CASE("D-C2: a wait in JSON is a number or a text") {
  CHECK(parse_json_wait(7) == 7s);
  CHECK(parse_json_wait(0) == 0s);
  CHECK(parse_json_wait(-7) == 0s);
  CHECK(parse_json_wait(1.2) == 2s);
  CHECK(parse_json_wait(1e300) == longest);
  CHECK(parse_json_wait(std::numeric_limits<uint64_t>::max()) == longest);
  CHECK(parse_json_wait(std::numeric_limits<double>::quiet_NaN()) == std::nullopt);
  CHECK(parse_json_wait("7") == 7s);
  CHECK(parse_json_wait("soon") == std::nullopt);
  CHECK(parse_json_wait(nullptr) == std::nullopt);
  CHECK(parse_json_wait(true) == std::nullopt);
}

} // namespace
} // namespace notify
