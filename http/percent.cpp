#include "http/percent.hpp"

#include "messages/safe_text.hpp"

namespace notify::http {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// Text that can be logged, stored and compared as it is.
bool is_plain(std::string_view text) {
  while (!text.empty()) {
    auto first = static_cast<unsigned char>(text.front());
    auto size = utf8_character(text);
    if (size == 0 || first < 0x20 || first == 0x7F)
      return false;
    text.remove_prefix(size);
  }
  return true;
}

} // namespace

std::optional<std::string> percent_decoded(std::string_view text, plus_sign plus) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == plus_sign::space) {
      result += ' ';
      continue;
    }
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size())
      return std::nullopt;
    auto high = hex_value(text[i + 1]);
    auto low = hex_value(text[i + 2]);
    if (high < 0 || low < 0)
      return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!is_plain(result))
    return std::nullopt;
  return result;
}

} // namespace notify::http
