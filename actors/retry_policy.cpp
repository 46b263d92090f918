#include "actors/retry_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace notify {

namespace {

/// What each kind of answer means for its job.
struct rule {
  outcome_kind kind;
  next_step next;
  bool counts_as_failure;
  const char* result;
};

constexpr rule rules[] = {
    {outcome_kind::sent, next_step::sent, false, "sent"},
    {outcome_kind::retry, next_step::retry, true, "retryable_provider_error"},
    {outcome_kind::retry_after, next_step::retry, true, "rate_limited_provider_error"},
    {outcome_kind::permanent, next_step::dead, true, "permanent_provider_error"},
    {outcome_kind::hold, next_step::retry, false, "retryable_provider_error"},
    {outcome_kind::unknown, next_step::retry, true, "unknown_outcome"},
};

const rule& rule_for(outcome_kind kind) {
  const auto* found = std::find_if(std::begin(rules), std::end(rules),
                                   [&](const auto& x) { return x.kind == kind; });
  // A number that is no kind came from another version: nobody knows what happened to the send.
  return found != std::end(rules) ? *found : *std::prev(std::end(rules));
}

/// The error class of an answer; what never left this process is nobody's refusal.
const char* error_class(const rule& x, const outcome& answer) {
  if (answer.kind != outcome_kind::permanent)
    return x.result;
  if (answer.phase == send_phase::render)
    return "invalid_template_error";
  return answer.reason == "expired" ? "invalid_event_error" : x.result;
}

/// Adds a share of up to `jitter`; never shortens, never overflows.
caf::timespan with_jitter(caf::timespan delay, double jitter, double random) {
  if (!(jitter > 0) || !(random > 0) || !std::isfinite(jitter))
    return delay;
  auto share = static_cast<double>(delay.count()) * jitter * std::min(random, 1.0);
  auto room = caf::timespan::max() - delay;
  if (share >= static_cast<double>(room.count()))
    return caf::timespan::max();
  return delay + caf::timespan{static_cast<caf::timespan::rep>(share)};
}

retry_decision dead(retry_decision x, std::string_view reason) {
  x.next = next_step::dead;
  x.delay = caf::timespan{0};
  x.dead_reason = reason;
  return x;
}

/// True if one more send would be a blind one and the policy does not want it.
bool gives_up_on_unknown(const retry_policy& policy, const job_history& history,
                         bool is_protected) {
  if (is_protected)
    return false;
  return policy.unknown == unknown_policy::park || history.unknowns >= policy.unknown_attempts - 1;
}

} // namespace

std::optional<caf::timespan> scheduled_delay(const retry_policy& policy, int32_t n) {
  n = std::max(n, 1);
  if (policy.base.count() <= 0) {
    auto index = static_cast<size_t>(n);
    if (index >= policy.delays.size())
      return std::nullopt;
    return std::max(policy.delays[index], caf::timespan{0});
  }
  if (n >= policy.attempts)
    return std::nullopt;
  // In floating point, and compared before it is converted: a large exponent becomes infinity,
  // which is above every cap.
  auto grown = static_cast<double>(policy.base.count())
               * std::pow(std::max(policy.factor, 1.0), static_cast<double>(n) - 1);
  auto cap = std::max(policy.cap, policy.base);
  if (!(grown < static_cast<double>(cap.count())))
    return cap;
  return caf::timespan{static_cast<caf::timespan::rep>(grown)};
}

retry_decision decide(const retry_policy& policy, const outcome& answer, const job_history& history,
                      double random) {
  const auto& x = rule_for(answer.kind);
  retry_decision result;
  result.next = x.next;
  result.counts_as_failure = x.counts_as_failure;
  result.result = error_class(x, answer);
  if (x.next == next_step::sent)
    return result;
  if (x.next == next_step::dead)
    return dead(result, answer.reason == "expired" ? "expired" : result.result);
  auto is_unknown = answer.kind == outcome_kind::unknown;
  auto delay = policy.hold_delay;
  if (x.counts_as_failure) {
    auto before = std::clamp(history.failures, 0, std::numeric_limits<int32_t>::max() - 1);
    auto scheduled = scheduled_delay(policy, before + 1);
    if (!scheduled)
      return dead(result, is_unknown ? "unknown_outcome" : "attempts_exhausted");
    delay = *scheduled;
  }
  if (is_unknown) {
    auto is_protected = history.key_left > with_jitter(delay, policy.jitter, 1);
    if (gives_up_on_unknown(policy, history, is_protected))
      return dead(result, "unknown_outcome");
    if (!is_protected)
      delay = std::max(delay, policy.unknown_delay);
  }
  result.clamped_wait = std::clamp(answer.wait_hint, caf::timespan{0}, policy.max_wait_hint);
  result.delay = with_jitter(std::max(delay, result.clamped_wait), policy.jitter, random);
  if (history.expires_in != caf::timespan::max() && result.delay >= history.expires_in)
    return dead(result, "expired");
  return result;
}

} // namespace notify
