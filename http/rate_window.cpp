#include "http/rate_window.hpp"

namespace notify::http {

namespace {

constexpr size_t most_addresses = 1024;

} // namespace

uint32_t rate_window::count(const std::string& address) {
  auto now = now_();
  std::lock_guard guard{mutex_};
  auto found = entries_.find(address);
  if (found == entries_.end()) {
    make_room(now);
    found = entries_.emplace(address, entry{now, 0}).first;
  }
  auto& x = found->second;
  if (now - x.since >= window_)
    x = {now, 0};
  return ++x.count;
}

void rate_window::make_room(clock::time_point now) {
  if (entries_.size() < most_addresses)
    return;
  std::erase_if(entries_, [&](const auto& x) { return now - x.second.since >= window_; });
  // Whoever has so many addresses is not held up by this anyway.
  if (entries_.size() >= most_addresses)
    entries_.clear();
}

} // namespace notify::http
