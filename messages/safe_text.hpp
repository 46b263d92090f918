#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace notify {

/// Makes text of unknown origin fit to be stored, logged and shown: valid UTF-8 without NUL, at
/// most `limit` bytes, never cut inside a character. Each NUL and each byte that is not part of a
/// character becomes U+FFFD.
std::string safe_text(std::string_view bytes, size_t limit);

/// Length in bytes of the well-formed UTF-8 character at the start of `bytes`; 0 if there is none.
/// Overlong forms, surrogates and values above U+10FFFF are not well-formed.
size_t utf8_character(std::string_view bytes);

} // namespace notify
