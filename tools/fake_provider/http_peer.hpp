#pragma once

#include "tools/fake_provider/protocols.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <optional>

namespace notify::fake {

/// The server's side of one HTTP/1.1 connection.
class http_peer {
public:
  explicit http_peer(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  /// The next request; nothing once the connection is over, or what came is not HTTP.
  boost::asio::awaitable<std::optional<http_request>> read();

  /// False if the connection is over or not to be kept. With `drip`, the head goes out at once and
  /// the body byte by byte with this distance.
  boost::asio::awaitable<bool> write(const http_answer& answer, const http_request& to,
                                     std::chrono::milliseconds drip = {});

  boost::asio::ip::tcp::socket& socket() { return socket_; }

private:
  boost::asio::awaitable<bool> write_slowly(std::string body, std::chrono::milliseconds drip);

  boost::asio::ip::tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
};

/// Ends a connection in order, or by a reset that throws away what is under way.
void end_connection(boost::asio::ip::tcp::socket& socket, bool by_reset);

/// Waits on the socket's own thread.
boost::asio::awaitable<void> pause(boost::asio::ip::tcp::socket& socket,
                                   std::chrono::milliseconds time);

} // namespace notify::fake
