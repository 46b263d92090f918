#include "messages/duration_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace notify {

namespace {

constexpr std::array<std::pair<std::string_view, int64_t>, 6> units{{{"h", 3'600'000'000'000},
                                                                     {"min", 60'000'000'000},
                                                                     {"s", 1'000'000'000},
                                                                     {"ms", 1'000'000},
                                                                     {"us", 1'000},
                                                                     {"ns", 1}}};

/// A number with a unit, apart.
struct parts {
  bool fits = false; ///< The number itself.
  int64_t number = 0;
  int64_t unit = 0; ///< In nanoseconds.

  bool overflows() const { return !fits || number > std::numeric_limits<int64_t>::max() / unit; }
};

/// Nothing if the text is not digits and a known unit.
std::optional<parts> split(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9')
    return std::nullopt;
  parts result;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), result.number);
  result.fits = parsed.ec == std::errc{};
  text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
  const auto* unit =
      std::find_if(units.begin(), units.end(), [&](const auto& x) { return x.first == text; });
  if (unit == units.end())
    return std::nullopt;
  result.unit = unit->second;
  return result;
}

} // namespace

std::string duration_text(caf::timespan x) {
  auto count = x.count();
  if (count == 0)
    return "0s";
  for (auto [name, size] : units)
    if (count % size == 0)
      return std::to_string(count / size) + std::string{name};
  return std::to_string(count) + "ns";
}

std::optional<caf::timespan> parse_duration(std::string_view text) {
  auto x = split(text);
  if (!x || x->overflows())
    return std::nullopt;
  return caf::timespan{x->number * x->unit};
}

bool duration_overflows(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("+-"), text.size()));
  auto x = split(text);
  return x && x->overflows();
}

} // namespace notify
