#include "actors/retry_policy.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

namespace notify {
namespace {

using namespace std::chrono_literals;

outcome answer(outcome_kind kind, caf::timespan hint = 0s) {
  outcome result;
  result.kind = kind;
  result.wait_hint = hint;
  return result;
}

job_history after(int32_t failures, int32_t unknowns = 0) {
  job_history result;
  result.failures = failures;
  result.unknowns = unknowns;
  return result;
}

struct line {
  outcome_kind kind;
  caf::timespan hint;
  int32_t failures;
  next_step next;
  caf::timespan delay;
  bool counts;
  const char* result;
};

TEST_CASE("the default policy decides by its table") {
  using enum outcome_kind;
  constexpr auto retrying = next_step::retry;
  constexpr auto dead = next_step::dead;
  const line lines[] = {
      {sent, 0s, 0, next_step::sent, 0s, false, "sent"},
      {sent, 0s, 99, next_step::sent, 0s, false, "sent"},
      {retry, 0s, 0, retrying, 5s, true, "retryable_provider_error"},
      {retry, 0s, 1, retrying, 30s, true, "retryable_provider_error"},
      {retry, 0s, 2, retrying, 2min, true, "retryable_provider_error"},
      {retry, 0s, 3, retrying, 10min, true, "retryable_provider_error"},
      {retry, 0s, 4, retrying, 30min, true, "retryable_provider_error"},
      {retry, 0s, 5, dead, 0s, true, "retryable_provider_error"},
      {retry, 0s, 6, dead, 0s, true, "retryable_provider_error"},
      {retry_after, 7s, 0, retrying, 7s, true, "rate_limited_provider_error"},
      {retry_after, 7s, 1, retrying, 30s, true, "rate_limited_provider_error"},
      {retry_after, 24h, 0, retrying, 1h, true, "rate_limited_provider_error"},
      {retry_after, -7s, 0, retrying, 5s, true, "rate_limited_provider_error"},
      {retry_after, 0s, 0, retrying, 5s, true, "rate_limited_provider_error"},
      {retry_after, 7s, 5, dead, 0s, true, "rate_limited_provider_error"},
      {permanent, 0s, 0, dead, 0s, true, "permanent_provider_error"},
      {permanent, 7s, 3, dead, 0s, true, "permanent_provider_error"},
      {hold, 0s, 0, retrying, 1min, false, "retryable_provider_error"},
      {hold, 0s, 99, retrying, 1min, false, "retryable_provider_error"},
      {hold, 5min, 0, retrying, 5min, false, "retryable_provider_error"},
      {unknown, 0s, 0, retrying, 10min, true, "unknown_outcome"},
      {unknown, 0s, 4, retrying, 30min, true, "unknown_outcome"},
      {unknown, 0s, 5, dead, 0s, true, "unknown_outcome"},
  };
  for (const auto& x : lines) {
    INFO(to_string(x.kind) << " after " << x.failures << " failures");
    auto decision = decide({}, answer(x.kind, x.hint), after(x.failures), 0.0);
    CHECK(decision.next == x.next);
    CHECK(decision.delay == x.delay);
    CHECK(decision.counts_as_failure == x.counts);
    CHECK(decision.result == x.result);
  }
}

TEST_CASE("a notification that cannot be rendered is dead for its template's sake") {
  auto refused = answer(outcome_kind::permanent);
  refused.phase = send_phase::render;
  auto decision = decide({}, refused, after(0), 0.5);
  CHECK(decision.next == next_step::dead);
  CHECK(decision.result == "invalid_template_error");
}

TEST_CASE("as many attempts are made as the policy has delays") {
  for (size_t count = 0; count < 10; ++count) {
    retry_policy policy;
    policy.delays.assign(count, 1s);
    int32_t attempts = 1;
    while (decide(policy, answer(outcome_kind::retry), after(attempts - 1), 0.0).next
           == next_step::retry)
      ++attempts;
    CHECK(attempts == static_cast<int32_t>(std::max<size_t>(count, 1)));
  }
}

TEST_CASE("jitter adds up to its share") {
  CHECK(decide({}, answer(outcome_kind::retry), after(0), 0.5).delay == 5500ms);
  CHECK(decide({}, answer(outcome_kind::hold), after(0), 0.5).delay == 66s);
  CHECK(decide({}, answer(outcome_kind::retry_after, 1h), after(0), 0.5).delay == 66min);
}

TEST_CASE("nonsense in numbers does no harm") {
  auto nan = std::numeric_limits<double>::quiet_NaN();
  auto infinite = std::numeric_limits<double>::infinity();
  auto retrying = answer(outcome_kind::retry);
  for (auto random : {nan, -1.0, -infinite})
    CHECK(decide({}, retrying, after(0), random).delay == 5s);
  for (auto random : {1.0, 2.0, infinite})
    CHECK(decide({}, retrying, after(0), random).delay == 6s);
  for (auto jitter : {nan, -1.0, infinite}) {
    retry_policy policy;
    policy.jitter = jitter;
    CHECK(decide(policy, retrying, after(0), 0.9).delay == 5s);
  }
  constexpr auto least = std::numeric_limits<int32_t>::min();
  constexpr auto most = std::numeric_limits<int32_t>::max();
  CHECK(decide({}, retrying, after(least), 0.0).delay == 5s);
  CHECK(decide({}, retrying, after(most), 0.0).next == next_step::dead);
  CHECK(decide({}, answer(outcome_kind::hold), after(most), 0.0).next == next_step::retry);
}

TEST_CASE("the longest delays do not overflow") {
  retry_policy policy;
  policy.delays.assign(3, caf::timespan::max());
  policy.max_wait_hint = caf::timespan::max();
  CHECK(decide(policy, answer(outcome_kind::retry), after(0), 0.99).delay == caf::timespan::max());
  auto hinted = answer(outcome_kind::retry_after, caf::timespan::max());
  CHECK(decide(policy, hinted, after(0), 0.99).delay == caf::timespan::max());
  policy.delays.assign(3, caf::timespan::min());
  CHECK(decide(policy, answer(outcome_kind::retry), after(0), 0.99).delay == 0s);
}

TEST_CASE("a formula makes waits that grow up to their cap") {
  retry_policy policy;
  policy.base = 2s;
  policy.factor = 3;
  policy.cap = 1min;
  policy.attempts = 6;
  const caf::timespan waits[] = {2s, 6s, 18s, 54s, 1min};
  for (int32_t failures = 0; failures < 5; ++failures)
    CHECK(decide(policy, answer(outcome_kind::retry), after(failures), 0.0).delay
          == waits[failures]);
  auto last = decide(policy, answer(outcome_kind::retry), after(5), 0.0);
  CHECK(last.next == next_step::dead);
  CHECK(last.dead_reason == "attempts_exhausted");
}

TEST_CASE("Q-B16: no attempt number and no setting makes a wait of zero, of nonsense, or of ever") {
  for (auto factor : {0.0, 1.0, 1.5, 2.0, 1e300, -7.0})
    for (caf::timespan cap : {caf::timespan{1}, caf::timespan{1h}, caf::timespan::max()}) {
      retry_policy policy;
      policy.base = 5s;
      policy.factor = factor;
      policy.cap = cap;
      policy.attempts = std::numeric_limits<int32_t>::max();
      auto before = caf::timespan{0};
      for (int32_t n = 1; n <= 10'000; ++n) {
        auto wait = scheduled_delay(policy, n);
        REQUIRE(wait);
        REQUIRE(*wait >= policy.base);
        REQUIRE(*wait <= std::max(cap, policy.base));
        REQUIRE(*wait >= before);
        before = *wait;
      }
      CHECK(scheduled_delay(policy, std::numeric_limits<int32_t>::max() - 1) >= before);
    }
}

TEST_CASE("a job that died says why") {
  auto reason = [](outcome_kind kind, const job_history& history) {
    return decide({}, answer(kind), history, 0.0).dead_reason;
  };
  CHECK(reason(outcome_kind::retry, after(5)) == "attempts_exhausted");
  CHECK(reason(outcome_kind::unknown, after(5)) == "unknown_outcome");
  CHECK(reason(outcome_kind::permanent, after(0)) == "permanent_provider_error");
  CHECK(reason(outcome_kind::retry, after(0)).empty());
  CHECK(reason(outcome_kind::sent, after(9)).empty());
}

TEST_CASE("lost answers are retried so many times, far apart, or not at all") {
  auto lost = answer(outcome_kind::unknown);
  CHECK(decide({}, lost, after(0, 1), 0.0).delay == 10min);
  CHECK(decide({}, lost, after(0, 2), 0.0).dead_reason == "unknown_outcome");
  retry_policy parks;
  parks.unknown = unknown_policy::park;
  auto parked = decide(parks, lost, after(0), 0.0);
  CHECK(parked.next == next_step::dead);
  CHECK(parked.dead_reason == "unknown_outcome");
  CHECK(decide(parks, answer(outcome_kind::retry), after(0), 0.0).next == next_step::retry);
}

TEST_CASE("while its idempotency key lives, a lost answer is an ordinary failure") {
  auto lost = answer(outcome_kind::unknown);
  auto history = after(0, 7);
  history.key_left = 1h;
  for (auto policy : {unknown_policy::retry, unknown_policy::park}) {
    retry_policy x;
    x.unknown = policy;
    CHECK(decide(x, lost, history, 0.0).delay == 5s);
    // The next attempt would come too late for the key, jitter included.
    auto short_lived = history;
    short_lived.key_left = 6s;
    CHECK(decide(x, lost, short_lived, 0.0).next == next_step::dead);
  }
}

TEST_CASE("a wait beyond a notification's end is its end") {
  auto history = after(0);
  history.expires_in = 10s;
  CHECK(decide({}, answer(outcome_kind::retry), history, 0.0).delay == 5s);
  auto late = decide({}, answer(outcome_kind::retry_after, 11s), history, 0.0);
  CHECK(late.next == next_step::dead);
  CHECK(late.dead_reason == "expired");
  CHECK(late.clamped_wait == 11s);
}

TEST_CASE("an answer of a kind that nobody knows may have been a send") {
  auto odd = answer(static_cast<outcome_kind>(200));
  CHECK(decide({}, odd, after(0), 0.0).result == "unknown_outcome");
}

} // namespace
} // namespace notify
