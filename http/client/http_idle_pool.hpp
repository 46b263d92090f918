#pragma once

#include "http/client/http_connection.hpp"

#include <caf/timespan.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace notify {

/// Connections that wait for their next request. Gives out the one that was used last, closes
/// those that waited too long. Thread-safe. The `io_context` keeps the connections alive, so none
/// outlives it.
class http_idle_pool : public std::enable_shared_from_this<http_idle_pool> {
public:
  using connection_ptr = std::shared_ptr<http_connection>;

  http_idle_pool(size_t limit, caf::timespan max_idle) : limit_(limit), max_idle_(max_idle) {}

  /// A connection of this origin on which nothing happened meanwhile; null if there is none. Those
  /// that died are closed.
  connection_ptr take(const std::string& origin);

  /// Hands over a connection. If there are too many, the one that waited longest is closed.
  void keep(connection_ptr connection);

  /// Closes all, and what is handed over later.
  void stop();

  size_t size() const;

private:
  struct idle_connection {
    std::weak_ptr<http_connection> connection; ///< Owned by its timer.
    std::string origin;
    uint64_t since = 0; ///< Tells one wait from the next.
  };

  /// The last one of this origin, out of the list.
  connection_ptr pop(const std::string& origin);

  void arm(const connection_ptr& connection, uint64_t since);
  void on_limit(const connection_ptr& connection, uint64_t since);

  const size_t limit_;
  const caf::timespan max_idle_;
  mutable std::mutex mutex_;
  std::vector<idle_connection> idle_; ///< The last one was used last.
  uint64_t periods_ = 0;
  bool is_stopped_ = false;
};

} // namespace notify
