#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace notify {

/// Which groups became supergroups, and so have another id. Thread-safe; keeps the latest ones up
/// to a limit, since whoever forgets one only learns it again by one more answer.
class chat_migrations {
public:
  explicit chat_migrations(size_t limit) : limit_(limit) {}

  void add(int64_t from, int64_t to);

  /// The id to use for a chat: its own, if nothing is known.
  int64_t current(int64_t chat) const;

  size_t size() const;

private:
  const size_t limit_;
  mutable std::mutex mutex_;
  std::unordered_map<int64_t, int64_t> known_;
  std::deque<int64_t> order_; ///< Of arrival.
};

} // namespace notify
