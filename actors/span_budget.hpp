#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace notify {

/// How many finished spans may wait for their export in this process, wherever they wait: the
/// exporter's mailbox is bounded by it as well. Thread-safe.
class span_budget {
public:
  explicit span_budget(size_t limit) : limit_(limit) {}

  /// Room for one more span; without room it is counted as dropped.
  [[nodiscard]] bool take() {
    if (waiting_.fetch_add(1, std::memory_order_relaxed) < static_cast<int64_t>(limit_))
      return true;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    dropped(1);
    return false;
  }

  /// So many of them have left.
  void give_back(size_t count) {
    waiting_.fetch_sub(static_cast<int64_t>(count), std::memory_order_relaxed);
  }

  void dropped(size_t count) { dropped_.fetch_add(count, std::memory_order_relaxed); }
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

private:
  const size_t limit_;
  std::atomic<int64_t> waiting_ = 0;
  std::atomic<uint64_t> dropped_ = 0;
};

} // namespace notify
