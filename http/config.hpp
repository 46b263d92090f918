#pragma once

#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace notify {

/// How a client shows who it is.
enum class http_auth : uint8_t {
  token, ///< By a bearer token whose digest is in the file of tokens.
  none,  ///< Not at all: everybody may do everything. For a developer's machine.
};

/// Where the HTTP server listens, what a client can make it hold, and who may do what.
struct http_config {
  std::string address = "127.0.0.1"; ///< An IP address; a host name would hide which one is open.
  uint16_t port = 8080;              ///< 0: any free one.
  size_t max_connections = 256;
  size_t header_limit = 16u << 10u; ///< Bytes of one request's line and header fields.
  size_t body_limit = 64u << 10u;   ///< Bytes of one request's body.
  caf::timespan read_timeout = std::chrono::seconds{10};  ///< For one request to arrive, all of it.
  caf::timespan answer_timeout = std::chrono::seconds{5}; ///< For the service to make the answer.
  caf::timespan idle_timeout = std::chrono::seconds{60};  ///< Between two requests.
  caf::timespan drain_timeout = std::chrono::seconds{3};  ///< For open requests at shutdown.
  http_auth auth = http_auth::token;
  std::string tokens_file; ///< Empty: nobody has a token.
  bool metrics_need_token = false;
  std::string tls_certificate; ///< A PEM file, the chain included. Empty: no TLS.
  std::string tls_key;         ///< A PEM file.
};

} // namespace notify
