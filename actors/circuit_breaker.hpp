#pragma once

#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace notify {

/// When a channel stops trying, and for how long.
struct breaker_policy {
  uint32_t failures = 20; ///< Failures in a row that open it; 0: only a `hold` does.
  caf::timespan first_wait = std::chrono::seconds{30}; ///< Until the first probe; doubles.
  caf::timespan max_wait = std::chrono::minutes{5};
};

/// Protects a provider that is down, and our jobs from one that refuses our account. It opens at
/// once after a `hold`, and after a row of failures. When its wait is over, one single send, the
/// probe, decides: it closes, or waits twice as long. Refusals that concern one message and rate
/// limits are answers of a healthy provider. Pure: the caller has the clock.
class circuit_breaker {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr uint32_t unlimited = std::numeric_limits<uint32_t>::max();

  circuit_breaker() = default;
  explicit circuit_breaker(const breaker_policy& policy) : policy_(policy) {}

  /// How many sends it allows at once: `unlimited`, 1 for the probe, or 0.
  uint32_t limit(time_point now) const;

  /// A send begins, within `limit`. Returns whether it is the probe.
  bool begin() const { return is_open_; }

  /// A send ended. While it is open, only the probe's outcome counts: the others were begun
  /// before. Returns whether it opened (again) or closed.
  bool finish(outcome_kind kind, bool was_probe, time_point now);

  bool is_open() const { return is_open_; }

  /// When the probe may go; only meaningful while it is open.
  time_point probe_at() const { return probe_at_; }

  uint64_t openings() const { return openings_; }

private:
  void open(time_point now);

  breaker_policy policy_;
  bool is_open_ = false;
  time_point probe_at_;
  uint32_t failures_ = 0; ///< In a row.
  uint32_t reopened_ = 0; ///< Failed probes since it was closed last.
  uint64_t openings_ = 0;
};

} // namespace notify
