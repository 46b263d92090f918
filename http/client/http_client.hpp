#pragma once

#include "http/client/host_resolver.hpp"
#include "http/client/http_exchange.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

#include <caf/expected.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace notify {

/// Limits of one client.
struct http_client_config {
  std::string user_agent = "notifyd";
  std::string ca_file; ///< PEM bundle to trust; empty: the system's.
  size_t max_idle_connections = 16;
  caf::timespan max_idle = std::chrono::seconds{30}; ///< Below what servers keep.
  size_t max_requests_per_connection = 1000;
  size_t max_head_bytes = 64 * 1024;
  size_t max_body_bytes = 64 * 1024;                        ///< More of an answer is not read.
  caf::timespan connect_timeout = std::chrono::seconds{15}; ///< DNS, TCP and TLS, each.
};

/// What a client holds right now, for metrics and tests.
struct http_client_gauge {
  size_t busy = 0;          ///< Exchanges in flight.
  size_t idle = 0;          ///< Connections kept for the next request.
  uint64_t connections = 0; ///< Opened so far.
};

/// HTTP/1.1 for notifications: one request on the wire per call, never a silent second one; no
/// redirects, no cookies, certificates always verified, a total deadline that includes the
/// answer's body. Thread-safe; its work runs on `io`, which must run until `stop` was called.
class http_client {
public:
  using completion = std::function<void(http_exchange)>;

  /// Says whether a resolved address may be connected to.
  using address_filter = std::function<bool(const boost::asio::ip::address&)>;

  /// `ec::invalid_config` names what is wrong, e.g. with `ca_file`. An empty filter allows all, an
  /// empty resolver is the system's.
  static caf::expected<std::shared_ptr<http_client>> make(boost::asio::io_context& io,
                                                          const http_client_config& config,
                                                          address_filter filter = {},
                                                          host_resolver resolver = {});

  virtual ~http_client() = default;

  /// Calls `done` exactly once, on any thread.
  virtual void send(http_request request, completion done) = 0;

  /// Ends every exchange by the phase it reached and closes idle connections. What is sent later
  /// is answered with `http_event::stopped` at once.
  virtual void stop() = 0;

  virtual http_client_gauge gauge() const = 0;
};

using http_client_ptr = std::shared_ptr<http_client>;

} // namespace notify
