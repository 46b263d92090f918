#include "actors/retry_policy.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include <algorithm>
#include <array>
#include <random>

namespace notify {
namespace {

using namespace std::chrono_literals;

/// Up to a hundred years, in nanoseconds.
constexpr int64_t long_time = 3'000'000'000'000'000'000;

caf::timespan any_span() {
  return caf::timespan{*rc::gen::inRange<int64_t>(0, long_time)};
}

double any_random() {
  return *rc::gen::inRange<int>(0, 1'000'000) / 1'000'000.0;
}

retry_policy any_policy() {
  retry_policy policy;
  policy.delays.resize(*rc::gen::inRange<size_t>(1, 12));
  for (auto& delay : policy.delays)
    delay = any_span();
  if (*rc::gen::inRange(0, 2) == 1) {
    policy.base = any_span();
    policy.factor = *rc::gen::inRange(0, 1000) / 10.0;
    policy.cap = any_span();
    policy.attempts = *rc::gen::inRange(1, 20);
  }
  policy.unknown_attempts = *rc::gen::inRange(1, 5);
  policy.jitter = *rc::gen::inRange(0, 300) / 100.0;
  policy.hold_delay = any_span();
  policy.unknown_delay = any_span();
  policy.max_wait_hint = any_span();
  return policy;
}

job_history after(int32_t failures) {
  job_history result;
  result.failures = failures;
  return result;
}

outcome any_answer() {
  outcome result;
  result.kind = static_cast<outcome_kind>(*rc::gen::inRange(0, 6));
  result.wait_hint = caf::timespan{*rc::gen::inRange<int64_t>(-long_time, long_time)};
  return result;
}

TEST_CASE("retry decisions keep their bounds") {
  rc::prop("the delay is never below its floor nor above the floor and its jitter", [] {
    auto policy = any_policy();
    auto answer = any_answer();
    auto failures = *rc::gen::inRange<int32_t>(0, 15);
    auto decision = decide(policy, answer, after(failures), any_random());
    // Without jitter the answer is the floor itself.
    auto floor = decide(policy, answer, after(failures), 0.0).delay;
    RC_ASSERT(decision.delay >= floor);
    auto most = static_cast<double>(floor.count()) * (1.0 + policy.jitter) * 1.000001 + 1.0;
    RC_ASSERT(static_cast<double>(decision.delay.count()) <= most);
  });
  rc::prop("the floor respects the provider's hint up to its clamp", [] {
    auto policy = any_policy();
    auto answer = any_answer();
    auto decision = decide(policy, answer, after(0), any_random());
    if (decision.next == next_step::retry)
      RC_ASSERT(decision.delay >= std::min(answer.wait_hint, policy.max_wait_hint));
  });
  rc::prop("a lost answer is never followed up early", [] {
    auto policy = any_policy();
    auto answer = any_answer();
    answer.kind = outcome_kind::unknown;
    auto decision = decide(policy, answer, after(0), any_random());
    if (decision.next == next_step::retry)
      RC_ASSERT(decision.delay >= policy.unknown_delay);
  });
  rc::prop("only a retry has a delay, and only a failure ends a job", [] {
    auto policy = any_policy();
    auto answer = any_answer();
    auto decision = decide(policy, answer, after(*rc::gen::inRange<int32_t>(0, 15)), any_random());
    if (decision.next != next_step::retry)
      RC_ASSERT(decision.delay == caf::timespan{0});
    if (decision.next == next_step::dead)
      RC_ASSERT(decision.counts_as_failure);
    RC_ASSERT(!decision.result.empty());
  });
}

TEST_CASE("a thousand jobs that fail together come back spread out") {
  std::mt19937 engine{20260901};
  std::uniform_real_distribution<double> uniform{0.0, 1.0};
  outcome failed;
  failed.kind = outcome_kind::retry;
  // Five seconds and a fifth of jitter: one second, in ten parts.
  std::array<int, 10> parts{};
  for (int i = 0; i < 1000; ++i) {
    auto delay = decide({}, failed, after(0), uniform(engine)).delay;
    REQUIRE(delay >= 5s);
    REQUIRE(delay < 6s);
    ++parts.at(static_cast<size_t>((delay - 5s) / 100ms));
  }
  // Each part expects 100 with a deviation of 9.5: these bounds are six deviations away.
  CHECK(*std::min_element(parts.begin(), parts.end()) > 43);
  CHECK(*std::max_element(parts.begin(), parts.end()) < 157);
}

} // namespace
} // namespace notify
