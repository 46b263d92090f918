#pragma once

#include <string>
#include <string_view>

namespace notify {

/// What ends the mail data (RFC 5321, section 4.1.1.4); the data before it ends in CRLF.
inline constexpr std::string_view smtp_final_dot = ".\r\n";

/// The mail data as it goes on the wire, without the final dot: every line break, also a lone CR
/// or LF, becomes CRLF first, then each line that begins with a dot gets one more (RFC 5321,
/// section 4.5.2), and the last line ends in CRLF. In that order, because a dot after a bare LF
/// would else end the mail for some relays and let the rest run as commands.
std::string encode_smtp_data(std::string_view message);

} // namespace notify
