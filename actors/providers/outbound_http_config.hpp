#pragma once

#include <caf/timespan.hpp>

#include <chrono>
#include <string>

namespace notify {

/// The connections of a provider over HTTP.
struct outbound_http_config {
  std::string ca_file; ///< PEM bundle; empty: the system's. Certificates are always verified.
  caf::timespan connect_timeout = std::chrono::seconds{15}; ///< DNS, TCP and TLS, each.
  caf::timespan max_idle = std::chrono::seconds{30};        ///< Below what servers keep.
};

} // namespace notify
