#pragma once

#include "messages/log.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace notify::log {

/// Decides which of equal lines are written. The first one is. The further ones of the next
/// interval are counted, then told together; as long as they go on the intervals double, so that
/// an hour of trouble makes a handful of lines. After an interval without one, the next is news.
///
/// Not thread-safe.
class repeat_limiter {
public:
  using clock = std::chrono::steady_clock;
  using time_point = clock::time_point;

  struct line {
    level how = level::warning;
    std::string component;
    std::string message; ///< With `component` what makes lines equal.
    std::vector<field> more;
  };

  struct summary {
    line last;
    uint64_t count = 0;
  };

  explicit repeat_limiter(clock::duration interval) : first_(interval) {}

  /// True if the line is to be written now; else it is counted.
  bool is_news(line x, time_point now);

  /// What was counted in intervals that are over.
  std::vector<summary> due(time_point now);

private:
  /// More kinds of lines than the program has means that a message holds data.
  static constexpr size_t max_kinds = 1000;
  static constexpr clock::duration longest = std::chrono::minutes{30};

  struct kind {
    clock::duration interval;
    time_point until;
    summary counted;
  };

  clock::duration first_;
  std::map<std::pair<std::string, std::string>, kind> kinds_;
};

} // namespace notify::log
