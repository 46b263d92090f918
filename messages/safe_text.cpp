#include "messages/safe_text.hpp"

#include <cstdint>

namespace notify {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// What may follow a lead byte; ranges of the second byte are those of the Unicode standard's
/// table 3-7, which is how overlong forms and surrogates are kept out.
struct lead_rule {
  uint8_t first, last;
  size_t length;
  uint8_t second_low, second_high;
};

constexpr lead_rule lead_rules[] = {
    {0x00, 0x7F, 1, 0x00, 0x00}, {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

bool is_between(char x, uint8_t low, uint8_t high) {
  auto byte = static_cast<uint8_t>(x);
  return low <= byte && byte <= high;
}

bool continues(std::string_view bytes, const lead_rule& rule) {
  if (rule.length == 1)
    return true;
  if (bytes.size() < rule.length || !is_between(bytes[1], rule.second_low, rule.second_high))
    return false;
  for (size_t i = 2; i < rule.length; ++i)
    if (!is_between(bytes[i], 0x80, 0xBF))
      return false;
  return true;
}

} // namespace

size_t utf8_character(std::string_view bytes) {
  if (bytes.empty())
    return 0;
  for (const auto& rule : lead_rules)
    if (is_between(bytes[0], rule.first, rule.last))
      return continues(bytes, rule) ? rule.length : 0;
  return 0;
}

std::string safe_text(std::string_view bytes, size_t limit) {
  std::string result;
  result.reserve(bytes.size() < limit ? bytes.size() : limit);
  while (!bytes.empty()) {
    auto length = bytes[0] == '\0' ? 0 : utf8_character(bytes);
    auto next = length == 0 ? replacement : bytes.substr(0, length);
    if (result.size() + next.size() > limit)
      break;
    result += next;
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

} // namespace notify
