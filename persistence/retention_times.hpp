#pragma once

#include <caf/timespan.hpp>

#include <algorithm>
#include <chrono>

namespace notify {

/// How long what is finished stays in the database. Zero: for ever.
struct retention_times {
  caf::timespan jobs = std::chrono::hours{720}; ///< Sent and cancelled ones, with their attempts.
  caf::timespan dead_jobs = std::chrono::hours{2160};
  caf::timespan inbox = std::chrono::hours{720};
  caf::timespan dead_letters = std::chrono::hours{2160}; ///< From their publication on.
  caf::timespan operations = std::chrono::hours{2160};   ///< From their end on.
  caf::timespan topic = std::chrono::hours{168}; ///< What Kafka keeps: so old a record may come.
};

/// By how much the inbox must remember longer than Kafka keeps: brokers delete whole segments, and
/// clocks differ.
inline constexpr caf::timespan dedup_margin = std::chrono::hours{24};

/// How old an event must be to be forgotten; zero: it never is.
inline caf::timespan dedup_window(const retention_times& x) {
  return x.inbox.count() == 0 ? x.inbox : std::max(x.inbox, x.topic + dedup_margin);
}

} // namespace notify
