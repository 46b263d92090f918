#include "tools/printable.hpp"

#include "messages/safe_text.hpp"

#include <algorithm>

namespace notify {

namespace {

constexpr size_t hex_shown = 64; ///< Bytes of what is no text.

/// C0 and C1: what a terminal may take as a command.
bool is_control(std::string_view character) {
  auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1)
    return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

std::string printable(std::string_view bytes, size_t limit, bool several_lines) {
  auto size = std::to_string(bytes.size());
  if (!is_printable(bytes, several_lines)) {
    auto shown = bytes.substr(0, std::min(limit, hex_shown));
    return "(" + size + " bytes, not text: " + to_hex(shown)
           + (shown.size() < bytes.size() ? "..." : "") + ")";
  }
  auto shown = cut_text(bytes, limit);
  std::string result{shown};
  if (shown.size() < bytes.size())
    result += "... (" + size + " bytes)";
  return result;
}

} // namespace

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (unsigned char c : bytes) {
    result += digits[c >> 4u];
    result += digits[c & 15u];
  }
  return result;
}

bool is_printable(std::string_view bytes, bool several_lines) {
  while (!bytes.empty()) {
    auto size = utf8_character(bytes);
    if (size == 0)
      return false;
    auto layout = bytes.front() == '\n' || bytes.front() == '\t' || bytes.front() == '\r';
    if (is_control(bytes.substr(0, size)) && !(several_lines && layout))
      return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string_view cut_text(std::string_view text, size_t limit) {
  if (text.size() <= limit)
    return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0u) == 0x80u)
    --limit;
  return text.substr(0, limit);
}

std::string printable_line(std::string_view bytes, size_t limit) {
  return printable(bytes, limit, false);
}

std::string printable_text(std::string_view bytes, size_t limit) {
  return printable(bytes, limit, true);
}

} // namespace notify
