#pragma once

#include <string>
#include <string_view>

namespace notify {

/// One header line's worth of `text`: every control character and line separator becomes a space,
/// what is not UTF-8 becomes U+FFFD. Cut at 8 KiB.
std::string flatten_header(std::string_view text);

/// A header's text (RFC 2047) from flattened UTF-8: as it is if it is short, printable ASCII,
/// else encoded words of at most 75 characters, each whole characters, one a line. Lines are
/// folded with LF and at most 76 long if the header's name has up to ten characters.
std::string encode_header_text(std::string_view text);

/// The same for the name before an address: a quoted string or encoded words. Nothing for a name
/// that is empty or only blanks.
std::string encode_header_phrase(std::string_view text);

} // namespace notify
