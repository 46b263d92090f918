#include "actors/utf8.hpp"

#include <cstdint>

namespace notify {

namespace {

/// Length of the well-formed sequence (Unicode 15, table 3-7) at `at`; 0 if there is none.
size_t sequence_length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : uint8_t{0};
  };
  auto between = [&](size_t i, uint8_t low, uint8_t high) {
    return byte(i) >= low && byte(i) <= high;
  };
  auto first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return between(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    auto low = static_cast<uint8_t>(first == 0xE0 ? 0xA0 : 0x80);
    auto high = static_cast<uint8_t>(first == 0xED ? 0x9F : 0xBF);
    return between(1, low, high) && between(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    auto low = static_cast<uint8_t>(first == 0xF0 ? 0x90 : 0x80);
    auto high = static_cast<uint8_t>(first == 0xF4 ? 0x8F : 0xBF);
    return between(1, low, high) && between(2, 0x80, 0xBF) && between(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

} // namespace

std::optional<size_t> invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    auto length = sequence_length(text, at);
    if (length == 0)
      return at;
    at += length;
  }
  return std::nullopt;
}

} // namespace notify
