#pragma once

#include "http/client/http_ticket.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <cerrno>
#include <memory>
#include <utility>

namespace notify {

/// A TCP socket that writes through the gate of a ticket; a layer for TLS or for plain writes, an
/// `AsyncReadStream` and `AsyncWriteStream` in Asio's sense.
class gated_socket {
public:
  using socket_type = boost::asio::ip::tcp::socket;
  using executor_type = socket_type::executor_type;
  using lowest_layer_type = socket_type::lowest_layer_type;

  explicit gated_socket(const boost::asio::any_io_executor& executor) : socket_(executor) {}

  executor_type get_executor() { return socket_.get_executor(); }
  lowest_layer_type& lowest_layer() { return socket_.lowest_layer(); }
  socket_type& socket() { return socket_; }

  /// Whose bytes go out from now on; null: nobody's.
  void use(std::shared_ptr<http_ticket> ticket) { ticket_ = std::move(ticket); }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return socket_.async_read_some(buffers, std::forward<Token>(token));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_compose<Token, void(boost::system::error_code, size_t)>(
        write_some{*this, first_of(buffers), boost::asio::buffer_size(buffers)}, token, socket_);
  }

private:
  /// Asks the kernel until it takes something, waits for room in between.
  struct write_some {
    write_some(gated_socket& owner, boost::asio::const_buffer first, size_t all)
        : gate(owner), buffer(first), total(all) {}

    template <class Self>
    void operator()(Self& self, boost::system::error_code error = {}) {
      auto is_first_call = std::exchange(is_first, false);
      if (!is_done && !error && !try_once(error)) {
        gate.socket_.async_wait(socket_type::wait_write, std::move(self));
      } else if (is_first_call) {
        // An operation must not end before the call that began it returned.
        is_done = true;
        result = error;
        boost::asio::post(std::move(self));
      } else {
        self.complete(is_done ? result : error, count);
      }
    }

    /// False if there is no room.
    bool try_once(boost::system::error_code& error) {
      auto taken = gate.send(buffer, buffer.size() == total);
      if (taken < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return false;
      if (taken < 0)
        error.assign(errno, boost::system::system_category());
      else
        count = static_cast<size_t>(taken);
      return true;
    }

    gated_socket& gate;
    boost::asio::const_buffer buffer;
    size_t total;
    size_t count = 0;
    boost::system::error_code result;
    bool is_first = true;
    bool is_done = false;
  };

  /// The first buffer with something in it.
  template <class Buffers>
  static boost::asio::const_buffer first_of(const Buffers& buffers) {
    auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto i = boost::asio::buffer_sequence_begin(buffers); i != end; ++i)
      if (boost::asio::const_buffer buffer{*i}; buffer.size() > 0)
        return buffer;
    return {};
  }

  ssize_t send(boost::asio::const_buffer buffer, bool is_last) {
    if (ticket_ && socket_.is_open())
      return ticket_->send(socket_.native_handle(), buffer.data(), buffer.size(), is_last);
    errno = ECANCELED;
    return -1;
  }

  socket_type socket_;
  std::shared_ptr<http_ticket> ticket_;
};

} // namespace notify
