#pragma once

#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace notify {

/// Names are compared without regard to case; order and repetitions are kept.
using http_headers = std::vector<std::pair<std::string, std::string>>;

/// One request, complete: what is in here goes on the wire once, or not at all.
struct http_request {
  std::string method = "POST";
  std::string url; ///< Absolute, `http` or `https`. Never logged: it may hold a token.
  http_headers headers;
  std::string body;
  caf::timespan deadline{0}; ///< For all of it, the answer's last byte included.
};

/// How an exchange ended.
enum class http_event : uint8_t {
  answered,        ///< A status came; see `body_complete` for the rest.
  invalid_request, ///< Not a URL of ours, or a header with a line break: nothing was sent.
  dns_not_found,   ///< The name does not exist.
  dns_failed,      ///< The name could not be looked up now.
  blocked_address, ///< No address of the host may be connected to.
  closed,          ///< The peer ended the connection without an answer.
  failed,          ///< The connection broke.
  timed_out,       ///< The deadline passed.
  tls_failed,      ///< No TLS session; nothing was sent.
  untrusted,       ///< The certificate is not valid for the host; nothing was sent.
  malformed,       ///< The answer is not HTTP, or its head is too large.
  stopped,         ///< Ended by `stop`.
};

/// What came of one request.
struct http_exchange {
  http_event event = http_event::failed;
  send_phase phase = send_phase::none; ///< The last phase that was begun.
  bool request_complete = false;       ///< All its bytes were handed to the kernel.
  uint64_t bytes_sent = 0;             ///< Head and body, as far as handed to the kernel.
  bool connection_reused = false;
  int status = 0;
  http_headers headers;
  std::string body;           ///< Up to the client's limit; decoded from chunks, not from gzip.
  bool body_complete = false; ///< False: cut by the limit, the deadline, or the peer.
  std::string detail;         ///< What failed, in safe words; without URL and headers.

  /// The first value of a header; empty if there is none.
  std::string header(const std::string& name) const;
};

std::string to_string(http_event x);

} // namespace notify
