#pragma once

#include "http/config.hpp"
#include "http/message.hpp"

#include <boost/asio/io_context.hpp>

#include <caf/expected.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace notify::http {

class server_state;

/// An HTTP/1.1 server on an I/O context that others run. Keeps connections alive, bounds what a
/// client can make it hold (header, body, time, connections), and stops in order.
///
/// All members are thread-safe. The context must outlive the server: let `stop` finish, destroy the
/// server, then end the context.
class server {
public:
  /// Listens and starts to serve. Fails with `ec::listen_failed` if the address is taken or not
  /// this host's, with `ec::invalid_config` if the certificate or key cannot be used.
  static caf::expected<std::unique_ptr<server>> start(boost::asio::io_context& io,
                                                      const http_config& config, dispatcher handle,
                                                      answer_hook on_answer = {});

  /// Stops without waiting.
  ~server();

  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Where it listens; tells the port if the configuration says "any".
  uint16_t port() const { return port_; }

  /// Refuses new connections and closes idle ones at once; lets open requests finish, but not
  /// longer than the drain time-out. Calls `done` on an I/O thread when the last connection is
  /// gone. Safe to call again.
  void stop(std::function<void()> done);

private:
  server(std::shared_ptr<server_state> state, uint16_t port);

  std::shared_ptr<server_state> state_;
  uint16_t port_;
};

} // namespace notify::http
