#pragma once

#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace notify {

/// Where the HTTP server listens, and what a client can make it hold.
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
};

} // namespace notify
