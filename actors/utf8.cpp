#include "actors/utf8.hpp"

#include "messages/safe_text.hpp"

namespace notify {

std::optional<size_t> invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    auto length = utf8_character(text.substr(at));
    if (length == 0)
      return at;
    at += length;
  }
  return std::nullopt;
}

} // namespace notify
