#pragma once

#include "http/client/gated_socket.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// One TCP connection to a server, plain or under TLS. Has one owner at a time, a call or the pool
/// of idle connections, and only the owner touches it; a call does so on its strand, where one
/// read and one write may run at once and `close` may interrupt them.
class http_connection {
public:
  template <class T>
  using awaitable = boost::asio::awaitable<T>;
  using error_code = boost::system::error_code;

  /// `origin` names what it may be reused for.
  http_connection(const boost::asio::any_io_executor& executor, std::string origin);

  awaitable<error_code> connect(const boost::asio::ip::tcp::endpoint& endpoint);

  /// Shakes hands and checks the certificate against `host`.
  awaitable<error_code> start_tls(boost::asio::ssl::context& context, const std::string& host);

  /// What the check of the certificate came to, as OpenSSL has it.
  long verify_result() const;

  /// Whose bytes `write` and `start_tls` send from now on; null: none go out.
  void use(std::shared_ptr<http_ticket> ticket);

  /// Writes the ticket's bytes to their end.
  awaitable<error_code> write(http_ticket& ticket);

  /// Reads at least one byte to the end of `unread`.
  awaitable<error_code> read(std::string& unread);

  /// True if the peer neither said anything that was not asked for nor left.
  bool is_quiet();

  /// Ends whatever waits. What the peer did not take so far is dropped: one that does not read
  /// would keep it in the kernel for ever, or get it long after the request was given up. Safe to
  /// call twice.
  void close();

  bool is_encrypted() const { return tls_.has_value(); }
  const std::string& origin() const { return origin_; }
  boost::asio::steady_timer& idle_timer() { return idle_timer_; }

  size_t requests = 0; ///< How many it carried.

private:
  gated_socket gate_;
  std::optional<boost::asio::ssl::stream<gated_socket&>> tls_;
  boost::asio::steady_timer idle_timer_;
  const std::string origin_;
};

} // namespace notify
