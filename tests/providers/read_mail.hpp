#pragma once

#include <map>
#include <string>
#include <vector>

namespace notify::test {

/// A message as a reader sees it.
struct mail_text {
  std::string from, to, subject, id;
  std::vector<std::string> header_names;    ///< In order; a folded line has none.
  std::map<std::string, std::string> parts; ///< By subtype, with plain line ends.
};

/// Reads a message with GMime's parser, which our builder's encoding of headers does not use.
mail_text read_mail(const std::string& bytes);

/// The header's bytes, without the empty line behind it.
std::string header_of(const std::string& bytes);

/// Only CRLF, no line of more than 76 characters, nothing outside ASCII, no NUL. Fails the test
/// otherwise.
void check_wire_rules(const std::string& bytes);

/// RFC 2047: no encoded word of more than 75 characters, each whole characters of UTF-8. Fails the
/// test otherwise.
void check_encoded_words(const std::string& header);

} // namespace notify::test
