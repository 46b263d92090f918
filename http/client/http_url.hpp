#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// An absolute `http` or `https` URL, taken apart.
struct http_url {
  bool is_tls = false;
  std::string host; ///< A name in lower case, or an address without brackets.
  uint16_t port = 0;
  std::string target; ///< Path and query as they were given; at least "/".

  /// The value for a Host header: the port only if it is not the scheme's own.
  std::string authority() const;

  /// Names what a connection can be shared for: scheme, host and port.
  std::string origin() const;
};

/// Reads a URL strictly: no user name or password, no zone of an IPv6 address, nothing but
/// printable ASCII, percent escapes left as they are. A fragment is dropped, it is never sent.
/// Empty if the text is not such a URL.
std::optional<http_url> parse_http_url(std::string_view text);

} // namespace notify
