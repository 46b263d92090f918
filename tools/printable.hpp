#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text of unknown origin for a terminal: only what has no control characters gets there.

namespace notify {

/// Bytes on one line: as they are if they are text without control characters, else their number
/// and the first ones in hexadecimal. Cut after `limit` bytes, which is told.
std::string printable_line(std::string_view bytes, size_t limit);

/// The same for a value, which may have several lines.
std::string printable_text(std::string_view bytes, size_t limit);

/// True for UTF-8 without control characters, those of line layout aside if it may have
/// `several_lines`.
bool is_printable(std::string_view bytes, bool several_lines);

/// At most `limit` bytes, never cut inside a character.
std::string_view cut_text(std::string_view text, size_t limit);

std::string to_hex(std::string_view bytes);

} // namespace notify
