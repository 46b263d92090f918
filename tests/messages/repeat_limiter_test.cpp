#include "messages/repeat_limiter.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace notify::log {
namespace {

using namespace std::chrono_literals;

repeat_limiter::line about(const std::string& message, const std::string& error = "") {
  return {level::warning, "test", message, {{"error", error}}};
}

TEST_CASE("the first of equal lines goes out, the others are told together") {
  repeat_limiter limiter{1min};
  repeat_limiter::time_point now{};
  CHECK(limiter.is_news(about("a"), now));
  for (int i = 0; i < 5; ++i)
    CHECK_FALSE(limiter.is_news(about("a", std::to_string(i)), now + 1s));
  CHECK(limiter.due(now + 59s).empty());
  auto told = limiter.due(now + 60s);
  REQUIRE(told.size() == 1);
  CHECK(told[0].count == 5);
  CHECK(told[0].last.message == "a");
  CHECK(std::get<std::string>(told[0].last.more[0].value) == "4");
  CHECK(limiter.due(now + 10min).empty());
}

TEST_CASE("different lines do not hide each other") {
  repeat_limiter limiter{1min};
  repeat_limiter::time_point now{};
  CHECK(limiter.is_news(about("a"), now));
  CHECK(limiter.is_news(about("b"), now));
  CHECK(limiter.is_news({level::warning, "other", "a", {}}, now));
}

TEST_CASE("a line after a quiet interval is news again") {
  repeat_limiter limiter{1min};
  repeat_limiter::time_point now{};
  CHECK(limiter.is_news(about("a"), now));
  CHECK(limiter.due(now + 61s).empty());
  CHECK(limiter.is_news(about("a"), now + 62s));
  CHECK_FALSE(limiter.is_news(about("a"), now + 63s));
}

TEST_CASE("an hour of one trouble makes a handful of lines") {
  repeat_limiter limiter{1min};
  repeat_limiter::time_point now{};
  size_t lines = 0;
  uint64_t told = 0;
  for (int second = 0; second < 3600; ++second) {
    for (const auto& x : limiter.due(now)) {
      ++lines;
      told += x.count;
    }
    if (limiter.is_news(about("a"), now)) {
      ++lines;
      ++told;
    }
    now += 1s;
  }
  CHECK(lines <= 7);
  CHECK(lines >= 5);
  // What is not told yet lies in the last interval.
  CHECK(told >= 1800);
}

TEST_CASE("without an interval every line goes out") {
  repeat_limiter limiter{0s};
  repeat_limiter::time_point now{};
  for (int i = 0; i < 5; ++i) {
    CHECK(limiter.due(now).empty());
    CHECK(limiter.is_news(about("a"), now));
  }
}

TEST_CASE("lines that hold data do not fill the memory") {
  repeat_limiter limiter{1min};
  repeat_limiter::time_point now{};
  for (int i = 0; i < 5000; ++i)
    CHECK(limiter.is_news(about(std::to_string(i)), now));
  CHECK_FALSE(limiter.is_news(about("0"), now));
  CHECK(limiter.is_news(about("4999"), now));
}

/// What `repeated` writes, on the test's clock.
struct log_capture {
  log_capture() {
    configure(level::info, format::json);
    redirect([this](std::string_view x) { lines.emplace_back(x); }, [this] { return now; });
  }

  ~log_capture() {
    redirect(nullptr);
    set_repeat_interval(1min);
    configure(level::info, format::text);
  }

  std::vector<std::string> lines;
  repeat_limiter::time_point now{std::chrono::hours{1}};
};

TEST_CASE("repeated lines tell how many more there were, with the fields of the last") {
  log_capture capture;
  set_repeat_interval(1min);
  for (int i = 0; i < 13; ++i)
    repeated(level::warning, "test", "trouble", {{"try", i}});
  CHECK(capture.lines.size() == 1);
  capture.now += 1min;
  info("test", "something else");
  REQUIRE(capture.lines.size() == 3);
  CHECK(capture.lines[1].find(R"("message":"trouble","try":12,"more":12)") != std::string::npos);
  repeated(level::debug, "test", "not written at this level");
  CHECK(capture.lines.size() == 3);
}

} // namespace
} // namespace notify::log
