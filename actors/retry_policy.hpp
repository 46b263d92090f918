#pragma once

#include "messages/delivery.hpp"
#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// When a failed notification is tried again. The wait after the n-th failure is the n-th entry of
/// `delays` plus jitter; after the last one the job is dead. Entry 0 is the first attempt's own
/// distance and is always 0.
struct retry_policy {
  std::vector<caf::timespan> delays = {std::chrono::seconds{0},  std::chrono::seconds{5},
                                       std::chrono::seconds{30}, std::chrono::minutes{2},
                                       std::chrono::minutes{10}, std::chrono::minutes{30}};
  double jitter = 0.2;                                ///< Up to this share is added, never removed.
  caf::timespan hold_delay = std::chrono::minutes{1}; ///< Distance after an account-level refusal.
  caf::timespan unknown_delay = std::chrono::minutes{10}; ///< Least distance after a lost answer.
  caf::timespan max_wait_hint = std::chrono::hours{1};    ///< Clamp for a provider's own wait.
};

/// What becomes of a job after one attempt.
struct retry_decision {
  next_step next = next_step::retry;
  caf::timespan delay{0};
  bool counts_as_failure = true;
  std::string result; ///< `sent` or the error class of the contract.
};

/// Pure: decides from the answer and the failures recorded before it. `random` is uniform in
/// [0, 1) and makes the jitter.
retry_decision decide(const retry_policy& policy, const outcome& answer, int32_t failures,
                      double random);

} // namespace notify
