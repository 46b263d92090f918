#include "actors/retry_policy.hpp"

#include <algorithm>
#include <cmath>

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

bool is_render_failure(const outcome& answer) {
  return answer.kind == outcome_kind::permanent && answer.phase == send_phase::render;
}

/// The least distance to the next attempt; `index` is within `delays`, or beyond for a hold.
caf::timespan least_delay(const retry_policy& policy, const outcome& answer, size_t index) {
  caf::timespan result{0};
  if (answer.kind == outcome_kind::hold)
    result = policy.hold_delay;
  else if (index < policy.delays.size())
    result = policy.delays[index];
  if (answer.kind == outcome_kind::unknown)
    result = std::max(result, policy.unknown_delay);
  auto hint = std::min(answer.wait_hint, policy.max_wait_hint);
  return std::max({result, hint, caf::timespan{0}});
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

} // namespace

retry_decision decide(const retry_policy& policy, const outcome& answer, int32_t failures,
                      double random) {
  const auto& x = rule_for(answer.kind);
  retry_decision result{x.next, caf::timespan{0}, x.counts_as_failure, x.result};
  if (is_render_failure(answer))
    result.result = "invalid_template_error";
  if (x.next != next_step::retry)
    return result;
  auto index = static_cast<size_t>(std::max(failures, 0)) + 1;
  if (x.counts_as_failure && index >= policy.delays.size()) {
    result.next = next_step::dead;
    return result;
  }
  result.delay = with_jitter(least_delay(policy, answer, index), policy.jitter, random);
  return result;
}

} // namespace notify
