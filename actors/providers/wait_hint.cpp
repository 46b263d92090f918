#include "actors/providers/wait_hint.hpp"

#include "actors/providers/http_date.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace notify {

namespace {

using namespace std::chrono;
using hint = std::optional<caf::timespan>;

/// Above it a reset is a date (in the year 2001), below it a delay (of 31 years).
constexpr int64_t first_epoch_second = 1'000'000'000;

caf::timespan whole_seconds(int64_t count) {
  constexpr auto most = duration_cast<seconds>(caf::timespan::max()).count();
  if (count > most)
    return caf::timespan::max();
  return seconds{std::max<int64_t>(count, 0)};
}

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_digits(std::string_view text) {
  return !text.empty()
         && std::all_of(text.begin(), text.end(), [](char x) { return x >= '0' && x <= '9'; });
}

/// Seconds with or without a fraction and a minus. The whole part must fit 64 bits.
std::optional<int64_t> read_seconds(std::string_view text) {
  text = trimmed(text);
  auto negative = text.starts_with('-');
  if (negative)
    text.remove_prefix(1);
  auto point = text.find('.');
  auto whole = text.substr(0, point);
  auto fraction = point == std::string_view::npos ? std::string_view{"0"} : text.substr(point + 1);
  if (!is_digits(whole) || !is_digits(fraction))
    return std::nullopt;
  int64_t result = 0;
  if (std::from_chars(whole.data(), whole.data() + whole.size(), result).ec != std::errc{})
    return std::nullopt;
  if (negative)
    return 0;
  auto has_more = fraction.find_first_not_of('0') != std::string_view::npos;
  return has_more && result < INT64_MAX ? result + 1 : result;
}

hint longer(hint a, hint b) {
  return a && b ? std::max(a, b) : a ? a : b;
}

/// A list comes about where two parties on the way both added the header.
hint read_delays(std::string_view list) {
  hint result;
  for (;;) {
    auto comma = list.find(',');
    if (auto count = read_seconds(list.substr(0, comma)))
      result = longer(result, whole_seconds(*count));
    if (comma == std::string_view::npos)
      return result;
    list.remove_prefix(comma + 1);
  }
}

/// When the answer was made: by the clock that also made its dates, if it tells.
sys_seconds sent_at(const http_exchange& answer, system_clock::time_point now) {
  auto by_our_clock = floor<seconds>(now);
  return parse_http_date(trimmed(answer.header("date")), by_our_clock).value_or(by_our_clock);
}

} // namespace

hint parse_retry_after(std::string_view value, sys_seconds sent_at) {
  value = trimmed(value);
  if (auto date = parse_http_date(value, sent_at))
    return whole_seconds((*date - sent_at).count());
  return read_delays(value);
}

hint parse_limit_reset(std::string_view value, sys_seconds sent_at) {
  auto count = read_seconds(value);
  if (!count)
    return std::nullopt;
  if (*count <= first_epoch_second)
    return whole_seconds(*count);
  return whole_seconds(*count - sent_at.time_since_epoch().count());
}

hint parse_json_wait(const boost::json::value& value) {
  if (const auto* text = value.if_string())
    return read_delays({text->data(), text->size()});
  if (const auto* number = value.if_int64())
    return whole_seconds(*number);
  if (value.is_uint64())
    return caf::timespan::max();
  const auto* real = value.if_double();
  if (real == nullptr || std::isnan(*real))
    return std::nullopt;
  return *real < 9e18 ? whole_seconds(static_cast<int64_t>(std::ceil(std::max(*real, 0.0))))
                      : caf::timespan::max();
}

hint retry_after_of(const http_exchange& answer, system_clock::time_point now) {
  hint result;
  for (const auto& [name, value] : answer.headers)
    if (boost::algorithm::iequals(name, "retry-after"))
      result = longer(result, parse_retry_after(value, sent_at(answer, now)));
  return result;
}

hint limit_reset_of(const http_exchange& answer, system_clock::time_point now) {
  auto result = parse_limit_reset(answer.header("ratelimit-reset"), sent_at(answer, now));
  return result ? result
                : parse_limit_reset(answer.header("x-ratelimit-reset"), sent_at(answer, now));
}

} // namespace notify
