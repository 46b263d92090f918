#pragma once

#include <caf/actor_clock.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace notify {

/// The last moment in which a loop did what it is for, and its age as `actor_status` tells it.
class loop_age {
public:
  using time_point = caf::actor_clock::clock_type::time_point;

  void succeeded(time_point now) { at_ = now; }

  /// Milliseconds since then; -1: never yet.
  int64_t at(time_point now) const {
    return at_ ? std::chrono::duration_cast<std::chrono::milliseconds>(now - *at_).count() : -1;
  }

private:
  std::optional<time_point> at_;
};

} // namespace notify
