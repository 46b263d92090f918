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

bool is_ascii(char x) {
  return static_cast<uint8_t>(x) < 0x80;
}

/// True if `bytes` begins with a character that may stay.
bool is_sound(std::string_view bytes) {
  return bytes[0] != '\0' && utf8_character(bytes) > 0;
}

/// Length of the longest run of whole characters at the start that may stay and fits.
size_t sound_prefix(std::string_view bytes, size_t limit) {
  size_t length = 0;
  while (length < bytes.size() && length < limit) {
    auto step = is_ascii(bytes[length]) ? size_t{bytes[length] != '\0'}
                                        : utf8_character(bytes.substr(length));
    if (step == 0 || length + step > limit)
      break;
    length += step;
  }
  return length;
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
  while (!bytes.empty() && result.size() < limit) {
    auto good = sound_prefix(bytes, limit - result.size());
    result += bytes.substr(0, good);
    bytes.remove_prefix(good);
    if (bytes.empty() || is_sound(bytes))
      break; // All is done, or the next character does not fit.
    if (result.size() + replacement.size() > limit)
      break;
    result += replacement;
    bytes.remove_prefix(1);
  }
  return result;
}

} // namespace notify
