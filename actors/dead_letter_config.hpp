#pragma once

#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace notify {

/// How dead letters get to their topic.
struct dead_letter_config {
  std::string topic = "notifications.dlq.v1";            ///< Empty: they stay in the database only.
  caf::timespan poll_interval = std::chrono::seconds{5}; ///< When nothing hints at new ones.
  caf::timespan first_retry = std::chrono::seconds{1};   ///< After a failure; doubles up to
  caf::timespan park_interval = std::chrono::seconds{60};   ///< this, which is also the distance
                                                            ///< between tries that need a person.
  caf::timespan message_timeout = std::chrono::seconds{30}; ///< For the broker to take a record.
  caf::timespan drain_timeout = std::chrono::seconds{2};    ///< For reports at the end.
  uint32_t batch_letters = 500;
  size_t batch_bytes = size_t{8} << 20u;
};

} // namespace notify
