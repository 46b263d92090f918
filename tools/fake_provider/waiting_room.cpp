#include "tools/fake_provider/waiting_room.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>

namespace notify::fake {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// True once the client closed or reset its side; false if it only sent more.
bool has_left(tcp::socket& socket, boost::system::error_code failed) {
  boost::system::error_code unreadable;
  return failed || socket.available(unreadable) == 0 || unreadable;
}

} // namespace

asio::awaitable<bool> waiting_room::wait(tcp::socket& socket, std::string key) {
  auto me = std::make_shared<guest>(
      guest{std::move(key), asio::steady_timer{socket.get_executor()}, false});
  me->timer.expires_at(asio::steady_timer::time_point::max());
  guests_.remove_if([](const auto& x) { return x.expired(); });
  guests_.push_back(me);
  // The socket's own waiting ends with its cancellation below.
  socket.async_wait(tcp::socket::wait_read, [&socket, weak = std::weak_ptr{me}](
                                                boost::system::error_code failed) {
    auto someone = weak.lock();
    if (someone && failed != asio::error::operation_aborted && has_left(socket, failed))
      someone->timer.cancel();
  });
  co_await me->timer.async_wait(as_result);
  boost::system::error_code ignored;
  socket.cancel(ignored);
  co_return me->is_released;
}

size_t waiting_room::release(const std::string& key, size_t most) {
  size_t released = 0;
  for (auto i = guests_.begin(); i != guests_.end() && released < most;) {
    auto someone = i->lock();
    if (someone && someone->key.find(key) == std::string::npos) {
      ++i;
      continue;
    }
    if (someone) {
      someone->is_released = true;
      someone->timer.cancel();
      ++released;
    }
    i = guests_.erase(i);
  }
  return released;
}

size_t waiting_room::size() const {
  size_t result = 0;
  for (const auto& x : guests_)
    result += x.expired() ? 0 : 1;
  return result;
}

asio::awaitable<void> wait_for_end(tcp::socket& socket) {
  for (auto is_there = true; is_there;) {
    auto [failed] = co_await socket.async_wait(tcp::socket::wait_read, as_result);
    is_there = !has_left(socket, failed);
    // What it says meanwhile is taken, so that its end can be seen behind it.
    std::array<char, 4096> heard{};
    if (is_there)
      co_await socket.async_read_some(asio::buffer(heard), as_result);
  }
}

} // namespace notify::fake
