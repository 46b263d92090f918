#include "actors/event_time.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono;

constexpr int64_t us_per_second = 1'000'000;
constexpr int64_t us_per_minute = 60 * us_per_second;
constexpr int64_t us_per_day = 24 * 60 * us_per_minute;
constexpr int64_t end_of_9999 =
    sys_days{year{10000} / January / 1}.time_since_epoch().count() * us_per_day;

/// Takes fields off the front of a text; the first mismatch makes everything after it fail.
class scanner {
public:
  explicit scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  /// Takes one of `choices` and returns it, or 0.
  char one_of(std::string_view choices) {
    if (!ok_ || rest_.empty() || choices.find(rest_.front()) == std::string_view::npos) {
      ok_ = false;
      return '\0';
    }
    auto result = rest_.front();
    rest_.remove_prefix(1);
    return result;
  }

  /// Takes exactly `digits` digits whose number is at most `most`.
  int number(size_t digits, int most) {
    int result = 0;
    for (size_t i = 0; i < digits && ok_; ++i)
      result = 10 * result + (one_of("0123456789") - '0');
    ok_ = ok_ && result <= most;
    return ok_ ? result : 0;
  }

  /// Takes a fraction of a second, if there is one, as microseconds.
  int64_t fraction() {
    if (!ok_ || !rest_.starts_with('.'))
      return 0;
    rest_.remove_prefix(1);
    int64_t result = 0;
    int64_t weight = us_per_second / 10;
    do {
      result += weight * (one_of("0123456789") - '0');
      weight /= 10;
    } while (ok_ && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9');
    return ok_ ? result : 0;
  }

  /// Takes `Z` or an offset, as microseconds to subtract for UTC.
  int64_t offset() {
    auto sign = one_of("Zz+-");
    if (!ok_ || sign == 'Z' || sign == 'z')
      return 0;
    auto hours = number(2, 23);
    one_of(":");
    auto minutes = number(2, 59);
    auto result = (hours * 60 + minutes) * us_per_minute;
    return sign == '-' ? -result : result;
  }

private:
  std::string_view rest_;
  bool ok_ = true;
};

/// A moment as a date and the time of that day.
std::pair<year_month_day, hh_mm_ss<microseconds>> split_time(int64_t us) {
  auto time = sys_time<microseconds>{microseconds{us}};
  auto today = floor<days>(time);
  return {year_month_day{today}, hh_mm_ss<microseconds>{time - today}};
}

} // namespace

std::optional<int64_t> parse_event_time(std::string_view text) {
  scanner in{text};
  auto y = in.number(4, 9999);
  in.one_of("-");
  auto m = in.number(2, 12);
  in.one_of("-");
  auto d = in.number(2, 31);
  in.one_of("Tt ");
  auto hour = in.number(2, 23);
  in.one_of(":");
  auto minute = in.number(2, 59);
  in.one_of(":");
  auto second = in.number(2, 60);
  auto fraction = in.fraction();
  auto offset = in.offset();
  auto date = year{y} / month{static_cast<unsigned>(m)} / day{static_cast<unsigned>(d)};
  if (!in.at_end() || !date.ok())
    return std::nullopt;
  auto start_of_minute = sys_days{date}.time_since_epoch().count() * us_per_day
                         + (hour * 60 + minute) * us_per_minute - offset;
  if (second == 60) {
    if ((start_of_minute + us_per_minute) % us_per_day != 0)
      return std::nullopt;
    second = 59;
    fraction = us_per_second - 1;
  }
  auto result = start_of_minute + second * us_per_second + fraction;
  if (result < 0 || result >= end_of_9999)
    return std::nullopt;
  return result;
}

std::string format_event_time(int64_t us) {
  auto [date, clock] = split_time(us);
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02u %02d:%02d UTC", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()));
  return text;
}

std::string format_rfc3339(int64_t us) {
  auto [date, clock] = split_time(us);
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  std::string result{text};
  if (auto fraction = clock.subseconds().count(); fraction != 0) {
    std::snprintf(text, sizeof(text), ".%06d", static_cast<int>(fraction));
    result += text;
  }
  return result + "Z";
}

} // namespace notify
