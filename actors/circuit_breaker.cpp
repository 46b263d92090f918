#include "actors/circuit_breaker.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

enum class health { good, bad, refused, not_told };

/// What an outcome tells about the provider as a whole.
health told_by(outcome_kind kind) {
  switch (kind) {
  case outcome_kind::sent:
  case outcome_kind::permanent:
  case outcome_kind::retry_after:
    return health::good;
  case outcome_kind::hold:
    return health::refused;
  case outcome_kind::interrupted:
    return health::not_told;
  case outcome_kind::retry:
  case outcome_kind::unknown:
    break;
  }
  return health::bad;
}

} // namespace

uint32_t circuit_breaker::limit(time_point now) const {
  if (!is_open_)
    return unlimited;
  return now < probe_at_ ? 0 : 1;
}

bool circuit_breaker::finish(outcome_kind kind, bool was_probe, time_point now) {
  auto told = told_by(kind);
  if (told == health::not_told || (is_open_ && !was_probe))
    return false;
  if (told == health::good) {
    failures_ = 0;
    reopened_ = 0;
    return std::exchange(is_open_, false);
  }
  ++failures_;
  auto opens = was_probe || told == health::refused
               || (policy_.failures > 0 && failures_ >= policy_.failures);
  if (opens)
    open(now);
  return opens;
}

void circuit_breaker::open(time_point now) {
  if (is_open_)
    ++reopened_;
  else
    ++openings_;
  is_open_ = true;
  auto wait = policy_.first_wait;
  for (uint32_t i = 0; i < reopened_ && wait < policy_.max_wait; ++i)
    wait *= 2;
  probe_at_ = now + std::min(wait, policy_.max_wait);
}

} // namespace notify
