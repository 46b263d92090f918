#include "http/client/http_connection.hpp"

#include "http/client/http_tls.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cerrno>
#include <utility>

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace notify {

namespace asio = boost::asio;

namespace {

constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

/// What is written at once: one record of TLS.
constexpr size_t piece_size = size_t{16} * 1024;

constexpr size_t read_size = size_t{8} * 1024;

} // namespace

http_connection::http_connection(const asio::any_io_executor& executor, std::string origin)
    : gate_(executor), idle_timer_(executor), origin_(std::move(origin)) {}

http_connection::awaitable<http_connection::error_code>
http_connection::connect(const asio::ip::tcp::endpoint& endpoint) {
  auto [error] = co_await gate_.socket().async_connect(endpoint, as_values);
  // A short request is one write; nothing is gained by waiting for more.
  error_code ignored;
  if (!error)
    gate_.socket().set_option(asio::ip::tcp::no_delay{true}, ignored);
  co_return error;
}

http_connection::awaitable<http_connection::error_code>
http_connection::start_tls(asio::ssl::context& context, const std::string& host) {
  tls_.emplace(gate_, context);
  if (!expect_host(tls_->native_handle(), host))
    co_return asio::error::invalid_argument;
  auto [error] = co_await tls_->async_handshake(asio::ssl::stream_base::client, as_values);
  co_return error;
}

long http_connection::verify_result() const {
  return tls_ ? SSL_get_verify_result(const_cast<http_connection*>(this)->tls_->native_handle())
              : X509_V_OK;
}

void http_connection::use(std::shared_ptr<http_ticket> ticket) {
  gate_.use(std::move(ticket));
}

http_connection::awaitable<http_connection::error_code>
http_connection::write(http_ticket& ticket) {
  error_code error;
  size_t count = 0;
  for (auto rest = ticket.bytes(); !rest.empty() && !error; rest.remove_prefix(count)) {
    auto piece = asio::buffer(rest.data(), std::min(rest.size(), piece_size));
    ticket.expect_piece(piece.size());
    if (tls_)
      std::tie(error, count) = co_await asio::async_write(*tls_, piece, as_values);
    else
      std::tie(error, count) = co_await asio::async_write(gate_, piece, as_values);
  }
  co_return error;
}

http_connection::awaitable<http_connection::error_code> http_connection::read(std::string& unread) {
  std::array<char, read_size> chunk;
  error_code error;
  size_t count = 0;
  if (tls_)
    std::tie(error, count) = co_await tls_->async_read_some(asio::buffer(chunk), as_values);
  else
    std::tie(error, count) = co_await gate_.async_read_some(asio::buffer(chunk), as_values);
  unread.append(chunk.data(), count);
  co_return error;
}

bool http_connection::is_quiet() {
  if (!gate_.socket().is_open())
    return false;
  if (tls_
      && (SSL_pending(tls_->native_handle()) > 0
          || BIO_pending(SSL_get_rbio(tls_->native_handle())) > 0))
    return false;
  char byte = 0;
  auto count = ::recv(gate_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void http_connection::close() {
  error_code ignored;
  idle_timer_.cancel();
  auto& socket = gate_.socket();
  int unsent = 0;
  if (::ioctl(socket.native_handle(), SIOCOUTQ, &unsent) == 0 && unsent > 0)
    socket.set_option(asio::socket_base::linger{true, 0}, ignored);
  socket.close(ignored);
}

} // namespace notify
