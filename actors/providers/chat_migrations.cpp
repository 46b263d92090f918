#include "actors/providers/chat_migrations.hpp"

namespace notify {

void chat_migrations::add(int64_t from, int64_t to) {
  if (from == to)
    return;
  std::lock_guard guard{mutex_};
  if (known_.insert_or_assign(from, to).second)
    order_.push_back(from);
  if (order_.size() <= limit_)
    return;
  known_.erase(order_.front());
  order_.pop_front();
}

int64_t chat_migrations::current(int64_t chat) const {
  std::lock_guard guard{mutex_};
  auto found = known_.find(chat);
  return found == known_.end() ? chat : found->second;
}

size_t chat_migrations::size() const {
  std::lock_guard guard{mutex_};
  return known_.size();
}

} // namespace notify
