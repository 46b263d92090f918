#pragma once

#include <caf/expected.hpp>

#include <string>
#include <string_view>

namespace notify {

/// An e-mail address that is safe to put on the wire and into a header.
struct mail_address {
  std::string local;  ///< Before the `@`, as given.
  std::string domain; ///< ASCII only: a name outside ASCII is in its A-label form.

  std::string text() const { return local + '@' + domain; }

  /// True if the relay must offer SMTPUTF8 (RFC 6531): only the local part can ask for it.
  bool needs_smtputf8() const;
};

/// Reads `local@domain`. Refuses, never repairs: control characters, CR, LF, NUL, spaces, angle
/// brackets, display names, quoted local parts, malformed UTF-8 and what is longer than RFC 5321
/// allows. Dots are not checked in the local part: some carriers hand out such addresses, and the
/// relay knows better. The domain is a name or an address literal like `[192.0.2.1]`. The error
/// is `ec::invalid_event` and says why, without the address.
caf::expected<mail_address> parse_mail_address(std::string_view text);

} // namespace notify
