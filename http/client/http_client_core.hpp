#pragma once

#include "http/client/host_resolver.hpp"
#include "http/client/http_client.hpp"
#include "http/client/http_idle_pool.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace notify {

class http_call;

/// What all calls of a client share. Thread-safe.
class http_client_core {
public:
  using call_ptr = std::shared_ptr<http_call>;

  http_client_core(boost::asio::io_context& context, const http_client_config& settings)
      : io(context), config(settings),
        pool(std::make_shared<http_idle_pool>(settings.max_idle_connections, settings.max_idle)) {}

  /// Counts a call as busy until `remove`; false after `stop`.
  [[nodiscard]] bool add(const call_ptr& call);

  void remove(http_call* call);

  /// Takes no more calls; gives those that are busy, which count no longer.
  std::vector<call_ptr> stop();

  size_t busy() const;

  boost::asio::io_context& io;
  const http_client_config config;
  const std::shared_ptr<http_idle_pool> pool;
  http_client::address_filter filter; ///< Empty: every address will do.
  host_resolver resolve;
  std::shared_ptr<boost::asio::ssl::context> tls;
  std::atomic<uint64_t> connections = 0;

private:
  mutable std::mutex mutex_;
  /// Weak, since a call ends with the `io_context` that it runs on.
  std::map<http_call*, std::weak_ptr<http_call>> calls_;
  bool is_stopped_ = false;
};

} // namespace notify
