#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <string>

namespace notify::fake {

/// Where connections wait for a release. Only used on the provider's own thread.
class waiting_room {
public:
  /// Waits for a release; false if the client left before.
  boost::asio::awaitable<bool> wait(boost::asio::ip::tcp::socket& socket, std::string key);

  /// Lets up to `most` of those go whose key contains `key`, the longest waiting first. Returns
  /// how many.
  size_t release(const std::string& key, size_t most);

  size_t size() const;

private:
  struct guest {
    std::string key;
    boost::asio::steady_timer timer;
    bool is_released = false;
  };

  /// Owned by whoever waits: a timer must not outlive its I/O context.
  std::list<std::weak_ptr<guest>> guests_;
};

/// Waits until the client leaves, or for ever.
boost::asio::awaitable<void> wait_for_end(boost::asio::ip::tcp::socket& socket);

} // namespace notify::fake
