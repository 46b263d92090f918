#include "actors/providers/http_date.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>
#include <array>

namespace notify {

namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 7> weekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                      "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr size_t short_name = 3;

/// Takes fields off the front of a text; the first mismatch makes everything after it fail.
class date_scanner {
public:
  explicit date_scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return ok_ && rest_.empty(); }

  /// Takes `text` if it comes next, in any case.
  bool accept(std::string_view text) {
    if (!ok_ || !boost::algorithm::istarts_with(rest_, text))
      return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void expect(std::string_view text) { ok_ = accept(text); }

  int number(size_t digits) {
    int result = 0;
    for (size_t i = 0; i < digits && ok_; ++i) {
      ok_ = !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
      if (!ok_)
        return 0;
      result = 10 * result + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return result;
  }

  /// The weekday is not compared with the date: a server that gets it wrong still means the date.
  void weekday() {
    // The long name first, since the short one is its start.
    ok_ = ok_ && std::any_of(weekdays.begin(), weekdays.end(), [this](std::string_view name) {
            return accept(name) || accept(name.substr(0, short_name));
          });
  }

  month month_name() {
    for (unsigned i = 0; i < months.size(); ++i)
      if (accept(months[i]))
        return month{i + 1};
    ok_ = false;
    return month{0};
  }

  seconds time() {
    auto h = number(2);
    expect(":");
    auto m = number(2);
    expect(":");
    auto s = number(2);
    ok_ = ok_ && h < 24 && m < 60 && s <= 60; // 60: a leap second.
    return hours{h} + minutes{m} + seconds{s};
  }

  void zone() { ok_ = ok_ && (accept(" GMT") || accept(" UTC")); }

private:
  std::string_view rest_;
  bool ok_ = true;
};

std::optional<sys_seconds> made_of(const date_scanner& in, year y, month m, int d, seconds time) {
  auto date = y / m / day{static_cast<unsigned>(d)};
  if (!in.at_end() || !date.ok())
    return std::nullopt;
  return sys_days{date} + time;
}

/// RFC 9110: a year that seems to be more than 50 years ahead is the latest one before it.
year full_year(int two_digits, sys_seconds now) {
  auto this_year = static_cast<int>(year_month_day{floor<days>(now)}.year());
  auto result = this_year - this_year % 100 + two_digits;
  return year{result > this_year + 50 ? result - 100 : result};
}

/// `Sun Nov  6 08:49:37 1994`, behind the weekday.
std::optional<sys_seconds> read_asctime(date_scanner in) {
  in.expect(" ");
  auto m = in.month_name();
  in.expect(" ");
  auto d = in.accept(" ") ? in.number(1) : in.number(2);
  in.expect(" ");
  auto time = in.time();
  in.expect(" ");
  auto y = year{in.number(4)};
  return made_of(in, y, m, d, time);
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`, behind the comma.
std::optional<sys_seconds> read_rfc850(date_scanner in, sys_seconds now) {
  auto d = in.number(2);
  in.expect("-");
  auto m = in.month_name();
  in.expect("-");
  auto y = full_year(in.number(2), now);
  in.expect(" ");
  auto time = in.time();
  in.zone();
  return made_of(in, y, m, d, time);
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, behind the comma.
std::optional<sys_seconds> read_imf_fixdate(date_scanner in) {
  auto d = in.number(2);
  in.expect(" ");
  auto m = in.month_name();
  in.expect(" ");
  auto y = year{in.number(4)};
  in.expect(" ");
  auto time = in.time();
  in.zone();
  return made_of(in, y, m, d, time);
}

} // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text, sys_seconds now) {
  date_scanner in{text};
  in.weekday();
  if (!in.accept(", "))
    return read_asctime(in);
  auto result = read_imf_fixdate(in);
  return result ? result : read_rfc850(in, now);
}

} // namespace notify
