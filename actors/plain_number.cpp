#include "actors/strict_json.hpp"

#include <algorithm>
#include <charconv>

namespace notify {

namespace {

/// A number's text in its parts; the point stands after `whole` plus `exponent` digits.
struct number_parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;
};

std::optional<number_parts> split_number(std::string_view text) {
  number_parts result;
  if (text.starts_with('-')) {
    result.negative = true;
    text.remove_prefix(1);
  }
  if (auto at = text.find_first_of("eE"); at != std::string_view::npos) {
    auto digits = text.substr(at + 1);
    if (digits.starts_with('+'))
      digits.remove_prefix(1);
    const auto* end = digits.data() + digits.size();
    auto [rest, error] = std::from_chars(digits.data(), end, result.exponent);
    if (error != std::errc{} || rest != end)
      return std::nullopt;
    text = text.substr(0, at);
  }
  auto point = text.find('.');
  result.whole = text.substr(0, point);
  if (point != std::string_view::npos)
    result.fraction = text.substr(point + 1);
  return result;
}

} // namespace

std::optional<std::string> plain_number(std::string_view number) {
  constexpr auto most = static_cast<int64_t>(max_number_digits);
  auto parts = split_number(number);
  if (!parts || number.size() > 2 * max_number_digits || parts->exponent > most
      || parts->exponent < -most)
    return std::nullopt;
  std::string digits{parts->whole};
  digits += parts->fraction;
  // The point's place counted from the left of `digits`; zeros are added where it lies outside.
  auto point = static_cast<int64_t>(parts->whole.size()) + parts->exponent;
  if (point < 1) {
    digits.insert(0, static_cast<size_t>(1 - point), '0');
    point = 1;
  }
  if (auto size = static_cast<int64_t>(digits.size()); point > size)
    digits.append(static_cast<size_t>(point - size), '0');
  auto first = std::min(digits.find_first_not_of('0'), static_cast<size_t>(point - 1));
  digits.erase(0, first);
  point -= static_cast<int64_t>(first);
  if (digits.size() > max_number_digits)
    return std::nullopt;
  auto zero = digits.find_first_not_of('0') == std::string::npos;
  if (static_cast<size_t>(point) < digits.size())
    digits.insert(static_cast<size_t>(point), 1, '.');
  if (parts->negative && !zero)
    digits.insert(0, 1, '-');
  return digits;
}

} // namespace notify
