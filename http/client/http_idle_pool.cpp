#include "http/client/http_idle_pool.hpp"

#include <algorithm>
#include <utility>

namespace notify {

http_idle_pool::connection_ptr http_idle_pool::take(const std::string& origin) {
  while (auto connection = pop(origin)) {
    // Whoever takes it out of the list owns it; its timer finds it gone.
    connection->idle_timer().cancel();
    if (connection->is_quiet())
      return connection;
    connection->close();
  }
  return nullptr;
}

http_idle_pool::connection_ptr http_idle_pool::pop(const std::string& origin) {
  std::lock_guard guard{mutex_};
  for (;;) {
    auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                              [&](const auto& x) { return x.origin == origin; });
    if (found == idle_.rend())
      return nullptr;
    auto connection = found->connection.lock();
    idle_.erase(std::prev(found.base()));
    if (connection)
      return connection;
  }
}

void http_idle_pool::keep(connection_ptr connection) {
  connection->use(nullptr);
  connection_ptr surplus;
  {
    std::lock_guard guard{mutex_};
    if (is_stopped_ || limit_ == 0) {
      surplus = std::move(connection);
    } else {
      if (idle_.size() >= limit_) {
        surplus = idle_.front().connection.lock();
        idle_.erase(idle_.begin());
      }
      auto since = ++periods_;
      // Before it is on offer: whoever takes it cancels the timer.
      arm(connection, since);
      idle_.push_back({connection, connection->origin(), since});
    }
  }
  if (surplus)
    surplus->close();
}

void http_idle_pool::arm(const connection_ptr& connection, uint64_t since) {
  connection->idle_timer().expires_after(max_idle_);
  connection->idle_timer().async_wait(
      [pool = weak_from_this(), connection, since](boost::system::error_code error) {
        auto self = pool.lock();
        if (!error && self)
          self->on_limit(connection, since);
      });
}

void http_idle_pool::on_limit(const connection_ptr& connection, uint64_t since) {
  {
    std::lock_guard guard{mutex_};
    auto found =
        std::find_if(idle_.begin(), idle_.end(), [&](const auto& x) { return x.since == since; });
    if (found == idle_.end())
      return;
    idle_.erase(found);
  }
  connection->close();
}

void http_idle_pool::stop() {
  std::vector<idle_connection> idle;
  {
    std::lock_guard guard{mutex_};
    is_stopped_ = true;
    idle.swap(idle_);
  }
  for (auto& x : idle)
    if (auto connection = x.connection.lock())
      connection->close();
}

size_t http_idle_pool::size() const {
  std::lock_guard guard{mutex_};
  return idle_.size();
}

} // namespace notify
