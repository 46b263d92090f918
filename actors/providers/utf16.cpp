#include "actors/providers/utf16.hpp"

namespace notify {

size_t utf16_length(std::string_view utf8) {
  size_t result = 0;
  for (auto x : utf8) {
    auto byte = static_cast<unsigned char>(x);
    // A character begins with anything but a continuation byte; those of four bytes are pairs.
    result += (byte & 0xC0) != 0x80;
    result += byte >= 0xF0;
  }
  return result;
}

} // namespace notify
