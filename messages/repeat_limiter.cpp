#include "messages/repeat_limiter.hpp"

#include <algorithm>

namespace notify::log {

bool repeat_limiter::is_news(line x, time_point now) {
  auto key = std::pair{x.component, x.message};
  auto entry = kinds_.find(key);
  if (entry == kinds_.end()) {
    if (kinds_.size() < max_kinds)
      kinds_.emplace(std::move(key), kind{first_, now + first_, {}});
    return true;
  }
  auto& known = entry->second;
  if (now >= known.until && known.counted.count == 0) {
    known.interval = first_;
    known.until = now + first_;
    return true;
  }
  ++known.counted.count;
  known.counted.last = std::move(x);
  return false;
}

std::vector<repeat_limiter::summary> repeat_limiter::due(time_point now) {
  std::vector<summary> result;
  for (auto i = kinds_.begin(); i != kinds_.end();) {
    auto& x = i->second;
    if (now < x.until) {
      ++i;
    } else if (x.counted.count == 0) {
      i = kinds_.erase(i);
    } else {
      result.push_back(std::exchange(x.counted, {}));
      x.interval = std::max(first_, std::min(x.interval * 2, longest));
      x.until = now + x.interval;
      ++i;
    }
  }
  return result;
}

} // namespace notify::log
