#pragma once

#include "actors/providers/mail_address.hpp"

#include <caf/expected.hpp>

#include <chrono>
#include <string>

namespace notify {

/// Everything that goes into one message.
struct mime_parts {
  mail_address from;
  std::string from_name; ///< Shown beside the address; may be empty.
  mail_address to;
  std::string subject;
  std::string text;
  std::string html; ///< Empty: the message is the text alone.
  std::string idempotency_key;
  std::string message_id_domain;
  std::chrono::system_clock::time_point date;
};

/// The message of RFC 5322 as bytes: From, To, Subject, Date, `Message-ID <key@domain>`, MIME
/// version, and text or multipart/alternative of text and HTML. Lines end in CRLF and are short,
/// the body is 7-bit (quoted-printable or base64), and nothing but a non-ASCII local part puts a
/// non-ASCII byte into a header.
///
/// The same parts give the same bytes: the boundary comes from the key. Line breaks and control
/// characters of subject and names become spaces; what is not UTF-8 becomes U+FFFD. The error is
/// `ec::invalid_event` for a key or domain that cannot be a Message-ID. Thread-safe.
caf::expected<std::string> build_mime(const mime_parts& parts);

} // namespace notify
