#pragma once

#include "messages/delivery.hpp"
#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notify {

/// What happens to a notification that may have arrived, when no idempotency key protects its
/// retry.
enum class unknown_policy : uint8_t {
  retry, ///< Send it again, at a distance and not for ever: at least once.
  park,  ///< Never by itself: dead, until a person decides.
};

/// When a failed notification is tried again: by a list of delays, or by a formula.
struct retry_policy {
  /// The wait after the n-th failure is the n-th entry plus jitter; after the last one the job is
  /// dead. Entry 0 is the first attempt's own distance and is always 0.
  std::vector<caf::timespan> delays = {std::chrono::seconds{0},  std::chrono::seconds{5},
                                       std::chrono::seconds{30}, std::chrono::minutes{2},
                                       std::chrono::minutes{10}, std::chrono::minutes{30}};
  caf::timespan base{0}; ///< Not 0: the wait after the n-th failure is base * factor^(n-1).
  double factor = 2;     ///< From 1 up.
  caf::timespan cap = std::chrono::hours{1}; ///< No such wait is longer, jitter apart.
  int32_t attempts = 10;                     ///< With `base`: failures until the job is dead.
  double jitter = 0.2;                       ///< Up to this share is added, never removed.
  caf::timespan hold_delay = std::chrono::minutes{1}; ///< Distance after an account-level refusal.
  unknown_policy unknown = unknown_policy::retry;
  int32_t unknown_attempts = 3; ///< Lost answers after which a job is dead in any case.
  caf::timespan unknown_delay = std::chrono::minutes{10}; ///< Least distance after a lost answer.
  caf::timespan max_wait_hint = std::chrono::hours{1};    ///< Clamp for a provider's own wait.
};

/// What is known of a job besides the answer at hand.
struct job_history {
  int32_t failures = 0; ///< Recorded before this attempt.
  int32_t unknowns = 0; ///< Recorded before this attempt.
  /// How much longer the idempotency key protects a retry, counted from its first use; 0 if it
  /// does not, or the provider knows no keys.
  caf::timespan key_left{0};
  caf::timespan expires_in = caf::timespan::max(); ///< Until it is too late to send.
};

/// What becomes of a job after one attempt.
struct retry_decision {
  next_step next = next_step::retry;
  caf::timespan delay{0};
  bool counts_as_failure = true;
  std::string result;            ///< `sent` or the error class of the contract.
  std::string dead_reason;       ///< Empty unless `next` is `dead`.
  caf::timespan clamped_wait{0}; ///< What of the provider's wait was honoured.
};

/// The wait after the n-th failure, without jitter; nothing if that one was the last. Never
/// overflows, whatever the settings and however large `n`.
std::optional<caf::timespan> scheduled_delay(const retry_policy& policy, int32_t n);

/// Pure: decides from the answer and the job's history. `random` is uniform in [0, 1) and makes
/// the jitter. Not for `outcome_kind::interrupted`, which is no attempt.
retry_decision decide(const retry_policy& policy, const outcome& answer, const job_history& history,
                      double random);

} // namespace notify
