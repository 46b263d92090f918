#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace notify::http {

/// Counts what each address does in a window of time. Remembers a bounded number of addresses.
/// Thread-safe.
class rate_window {
public:
  using clock = std::chrono::steady_clock;

  rate_window(uint32_t most, clock::duration window,
              std::function<clock::time_point()> now = clock::now)
      : most_(most), window_(window), now_(std::move(now)) {}

  /// Counts one more and returns the count in this window.
  uint32_t count(const std::string& address);

  /// True if that count is beyond the limit.
  bool is_over(uint32_t count) const { return count > most_; }

  uint32_t most() const { return most_; }
  clock::duration window() const { return window_; }

private:
  struct entry {
    clock::time_point since;
    uint32_t count = 0;
  };

  void make_room(clock::time_point now);

  uint32_t most_;
  clock::duration window_;
  std::function<clock::time_point()> now_;
  std::mutex mutex_;
  std::map<std::string, entry> entries_;
};

} // namespace notify::http
