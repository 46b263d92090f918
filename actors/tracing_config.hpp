#pragma once

#include "http/client/http_exchange.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace notify {

/// Whether spans are made, and where they go.
struct tracing_config {
  std::string endpoint;    ///< Of a collector, e.g. `http://127.0.0.1:4318`; empty: no spans.
  double sample_ratio = 1; ///< Of the events that came without a trace; 0 to 1.
  http_headers headers;    ///< For each request, e.g. a token. Secret.
  std::string ca_file;     ///< PEM bundle; empty: the system's.
  caf::timespan timeout = std::chrono::seconds{10};
  caf::timespan interval = std::chrono::seconds{1}; ///< At most so long spans are gathered.
  size_t queue = 8192;                              ///< Further spans are dropped and counted.
  size_t batch = 512;                               ///< Most spans of one request.
};

} // namespace notify
