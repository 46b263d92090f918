#include "persistence/call_deadline.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace notify {

namespace {

using clock_type = std::chrono::steady_clock;

/// One thread for all connections of the process. It sleeps until the earliest end that it knows,
/// so that a call costs two short locks and, most of the time, wakes nobody.
class watcher {
public:
  uint64_t add(int socket, clock_type::time_point end) {
    std::lock_guard guard{mutex_};
    if (!started_) {
      std::thread{[this] { run(); }}.detach();
      started_ = true;
    }
    calls_.emplace(++last_id_, call{socket, end});
    if (end < wakes_at_)
      earlier_.notify_one();
    return last_id_;
  }

  void remove(uint64_t id) {
    std::lock_guard guard{mutex_};
    calls_.erase(id);
  }

private:
  struct call {
    int socket;
    clock_type::time_point end;
  };

  [[noreturn]] void run() {
    std::unique_lock lock{mutex_};
    for (;;) {
      auto now = clock_type::now();
      // Under the lock: a socket is closed only after its call was removed.
      for (auto i = calls_.begin(); i != calls_.end();) {
        if (i->second.end > now) {
          ++i;
          continue;
        }
        shutdown(i->second.socket, SHUT_RDWR);
        i = calls_.erase(i);
      }
      // Far, but not so far that the standard library's arithmetic overflows.
      wakes_at_ = now + std::chrono::hours{24};
      for (const auto& [id, x] : calls_)
        wakes_at_ = std::min(wakes_at_, x.end);
      earlier_.wait_until(lock, wakes_at_);
    }
  }

  std::mutex mutex_;
  std::condition_variable earlier_;
  std::map<uint64_t, call> calls_;
  uint64_t last_id_ = 0;
  clock_type::time_point wakes_at_ = clock_type::time_point::max();
  bool started_ = false;
};

/// Never destroyed: a connection may outlive `main`.
watcher& the_watcher() {
  static auto* result = new watcher;
  return *result;
}

} // namespace

call_deadline::call_deadline(int socket, caf::timespan limit) {
  if (socket < 0 || limit.count() <= 0)
    return;
  socket_ = fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (socket_ >= 0)
    id_ = the_watcher().add(socket_, clock_type::now() + limit);
}

call_deadline::~call_deadline() {
  if (socket_ < 0)
    return;
  the_watcher().remove(id_);
  close(socket_);
}

} // namespace notify
