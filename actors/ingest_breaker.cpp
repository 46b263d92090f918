#include "actors/ingest_breaker.hpp"

#include <algorithm>
#include <utility>

namespace notify {

void ingest_breaker::memory::add(bool verdict) {
  refused -= ring[next] ? 1 : 0;
  refused += verdict ? 1 : 0;
  ring[next] = verdict;
  next = (next + 1) % ring.size();
  seen = std::min(seen + 1, ring.size());
  in_a_row = verdict ? in_a_row + 1 : 0;
}

ingest_breaker::ingest_breaker(const ingest_breaker_policy& policy) : policy_(policy) {
  policy_.window = std::max<size_t>(policy_.window, 1);
  memory_.ring.resize(policy_.window);
}

std::optional<std::string> ingest_breaker::judge(const memory& x) const {
  if (x.in_a_row >= policy_.row)
    return std::to_string(x.in_a_row) + " records in a row are unfit";
  auto most = policy_.share * static_cast<double>(policy_.window);
  if (x.seen == policy_.window && static_cast<double>(x.refused) > most)
    return std::to_string(x.refused) + " of the last " + std::to_string(policy_.window)
           + " records are unfit";
  return std::nullopt;
}

std::optional<std::string> ingest_breaker::objection(const std::vector<bool>& verdicts) const {
  if (!policy_.enabled || std::find(verdicts.begin(), verdicts.end(), true) == verdicts.end())
    return std::nullopt;
  std::unique_lock lock{mutex_};
  auto trial = memory_;
  lock.unlock();
  // After each record, so that the answer does not depend on how they were cut into batches.
  for (auto verdict : verdicts) {
    trial.add(verdict);
    // A good record makes nothing worse than it was.
    if (!verdict)
      continue;
    if (auto reason = judge(trial))
      return reason;
  }
  return std::nullopt;
}

void ingest_breaker::stored(const std::vector<bool>& verdicts) {
  std::lock_guard lock{mutex_};
  for (auto verdict : verdicts)
    memory_.add(verdict);
}

bool ingest_breaker::is_news(const std::string& place) {
  std::lock_guard lock{mutex_};
  return std::exchange(last_place_, place) != place;
}

} // namespace notify
