#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// One reply of a relay, all lines of it (RFC 5321, section 4.2).
struct smtp_reply {
  int code = 0;         ///< Three digits; the first one decides what an unknown one means.
  std::string enhanced; ///< Like `5.1.1` (RFC 3463) from the first line; empty if none.
  std::vector<std::string> lines; ///< Without code, separator and line end. As received: any bytes.

  /// 2, 4 or 5; 3 asks for more. Anything else is not a reply to trust.
  int severity() const { return code / 100; }

  /// All lines, each on its own.
  std::string text() const;

  /// True if the enhanced code agrees with the reply code, as RFC 2034 demands. If it does not,
  /// only the reply code counts.
  bool is_consistent() const;
};

enum class smtp_parse_state : unsigned char { incomplete, complete, malformed };

struct smtp_parse_result {
  smtp_parse_state state = smtp_parse_state::incomplete;
  size_t consumed = 0; ///< Bytes of the reply, if complete. More may follow it.
  smtp_reply reply;
};

/// Reads the first reply in `bytes`. Tolerates lines that end in LF alone and lines without text.
/// Malformed: no code, another code on a later line, a line of more than 4 KiB, or 64 KiB without
/// an end.
smtp_parse_result parse_smtp_reply(std::string_view bytes);

/// What the relay calls the message, from its final reply: the forms `queued as ID`, `id=ID` and
/// `Ok ID`. Empty if it does not say.
std::string smtp_queue_id(const smtp_reply& reply);

/// What a relay can do, from its reply to EHLO. Keywords are case-insensitive.
struct smtp_extensions {
  bool starttls = false;
  bool smtputf8 = false;
  bool auth_plain = false;
  bool auth_login = false;
  bool size = false;
  size_t size_limit = 0; ///< Bytes; 0: no limit announced.
};

smtp_extensions parse_smtp_extensions(const smtp_reply& ehlo);

} // namespace notify
