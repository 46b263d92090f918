#include "actors/channel_lane.hpp"

#include "actors/channel_tuning.hpp"

#include <algorithm>
#include <cmath>

namespace notify {

namespace {

/// How far ahead a channel with a rate claims: what it holds, other processes cannot send.
constexpr double rate_horizon_seconds = 0.5;

} // namespace

void channel_lane::tune(const tune_channel& x) {
  apply_tuning(x, config_);
  // A pace that was slow must not hold back the first send of a fast one.
  not_before_ = {};
}

void channel_lane::remove_member(const caf::actor_addr& worker) {
  --members_;
  std::erase_if(idle_, [&](const auto& x) { return x.address() == worker; });
}

size_t channel_lane::most_in_flight() const {
  auto limit = config_.concurrency == 0 ? config_.slots : config_.concurrency;
  return std::min<size_t>(limit, gate_);
}

uint32_t channel_lane::appetite() const {
  // Without a worker of ours the jobs are for other processes.
  auto most = most_in_flight();
  if (members_ == 0 || most == 0)
    return 0;
  auto startable = most > busy_ ? std::min(idle_.size(), most - busy_) : 0;
  // A provider that is only probed gets no jobs in advance: they would wait for nothing.
  auto prefetch = gate_ < config_.slots ? 0 : config_.prefetch;
  // Claiming again only when half of the prefetch is used up keeps the claims large.
  if (startable == 0 && waiting_.size() > prefetch / 2)
    return 0;
  auto room = startable + prefetch;
  if (config_.rate > 0)
    room = std::min(room, static_cast<size_t>(std::ceil(config_.rate * rate_horizon_seconds)));
  return room > waiting_.size() ? static_cast<uint32_t>(room - waiting_.size()) : 0;
}

caf::timespan channel_lane::interval() const {
  if (!(config_.rate > 0))
    return caf::timespan{0};
  return caf::timespan{static_cast<caf::timespan::rep>(std::ceil(1e9 / config_.rate))};
}

void channel_lane::add_jobs(std::vector<delivery_job> jobs, time_point now, time_point first) {
  for (auto& x : jobs) {
    waiting_.push_back({std::move(x), now, first});
    first += interval();
  }
}

std::optional<std::pair<delivery_worker_actor, delivery_job>> channel_lane::next(time_point now) {
  auto moment = next_moment();
  if (!moment || *moment > now)
    return std::nullopt;
  not_before_ = now + interval();
  auto result = std::pair{std::move(idle_.front()), std::move(waiting_.front().job)};
  // Both were true when it was claimed.
  auto waited = now - waiting_.front().claimed_at;
  auto& job = result.second;
  if (job.expires_in != caf::timespan::max())
    job.expires_in -= waited;
  if (job.unknowns > 0)
    job.first_unknown_age += waited;
  idle_.pop_front();
  waiting_.pop_front();
  return result;
}

std::optional<channel_lane::time_point> channel_lane::next_moment() const {
  if (idle_.empty() || waiting_.empty() || busy_ >= most_in_flight())
    return std::nullopt;
  // Moments that passed while no worker was idle must not be made up for in one go.
  return std::max(waiting_.front().send_at, not_before_);
}

size_t channel_lane::drop_lease(int64_t lease_id) {
  return std::erase_if(waiting_, [&](const auto& x) { return x.job.lease_id == lease_id; });
}

} // namespace notify
