#pragma once

#include "messages/log.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify::test {

/// Keeps the lines of the log while it lives, on the clock that it is given.
class line_capture {
public:
  explicit line_capture(std::function<std::chrono::steady_clock::time_point()> now) {
    log::set_repeat_interval(std::chrono::minutes{1});
    log::redirect([this](std::string_view x) { lines_.emplace_back(x); }, std::move(now));
  }

  ~line_capture() { log::redirect(nullptr); }

  line_capture(const line_capture&) = delete;
  line_capture& operator=(const line_capture&) = delete;

  const std::vector<std::string>& lines() const { return lines_; }

  size_t count(std::string_view text) const {
    return static_cast<size_t>(std::count_if(lines_.begin(), lines_.end(), [&](const auto& x) {
      return x.find(text) != std::string::npos;
    }));
  }

private:
  std::vector<std::string> lines_;
};

} // namespace notify::test
