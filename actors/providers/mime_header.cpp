#include "actors/providers/mime_header.hpp"

#include "actors/providers/base64.hpp"
#include "messages/safe_text.hpp"

#include <algorithm>

namespace notify {

namespace {

constexpr size_t max_header = 8192;

/// Bytes before encoding; the first word shares its line with the header's name.
constexpr size_t first_word = 36;
constexpr size_t next_word = 45;

/// What needs no encoding: fits the first line, and reads back as the same text.
bool is_plain(std::string_view text) {
  auto is_printable = [](char x) { return x >= ' ' && x <= '~'; };
  return text.size() <= 60 && std::all_of(text.begin(), text.end(), is_printable)
         && text.find("=?") == std::string_view::npos && !text.starts_with(' ')
         && !text.ends_with(' ');
}

/// How much of `text` the next word takes: whole characters, at most `limit` bytes, and a multiple
/// of three if any length is one. Padding in the middle is allowed, but a reader that joins words
/// before it decodes them (GMime does) stops there.
size_t word_length(std::string_view text, size_t limit) {
  size_t longest = 0;
  size_t unpadded = 0;
  for (size_t length = 0; length < text.size();) {
    length += std::max<size_t>(utf8_character(text.substr(length)), 1);
    if (length > limit)
      return unpadded > 0 ? unpadded : longest;
    longest = length;
    if (length % 3 == 0)
      unpadded = length;
  }
  return longest;
}

std::string encode_words(std::string_view text) {
  std::string result;
  auto limit = first_word;
  while (!text.empty()) {
    auto length = word_length(text, limit);
    // White space between two encoded words does not count.
    result += result.empty() ? "=?UTF-8?B?" : "\n =?UTF-8?B?";
    result += base64(text.substr(0, length));
    result += "?=";
    text.remove_prefix(length);
    limit = next_word;
  }
  return result;
}

} // namespace

std::string flatten_header(std::string_view text) {
  auto result = safe_text(text, max_header);
  for (auto& x : result)
    if (static_cast<unsigned char>(x) < 0x20 || x == 0x7F)
      x = ' ';
  // NEL, line separator and paragraph separator end a line for some readers.
  for (std::string_view separator : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"})
    for (auto at = result.find(separator); at != std::string::npos; at = result.find(separator, at))
      result.replace(at, separator.size(), 1, ' ');
  return result;
}

std::string encode_header_text(std::string_view text) {
  return is_plain(text) ? std::string{text} : encode_words(text);
}

std::string encode_header_phrase(std::string_view text) {
  // Readers take an encoded blank for a name, and some then lose the address.
  if (text.find_first_not_of(' ') == std::string_view::npos)
    return {};
  auto is_quotable = is_plain(text) && text.find_first_of("\"\\") == std::string_view::npos;
  return is_quotable ? '"' + std::string{text} + '"' : encode_words(text);
}

} // namespace notify
