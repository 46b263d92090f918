#pragma once

#include "actors/service_config.hpp"
#include "messages/tuning.hpp"
#include "messages/worker.hpp"

#include <caf/actor_clock.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace notify {

/// One channel as its dispatcher sees it: who is free, what is claimed but not started, and how
/// much may go out at once.
class channel_lane {
public:
  using time_point = caf::actor_clock::clock_type::time_point;

  struct waiting_job {
    delivery_job job;
    time_point claimed_at;
    time_point send_at; ///< Not before; the past unless the channel has a rate.
  };

  channel_lane() = default;
  explicit channel_lane(const channel_config& config) : config_(config) {}

  const channel_config& config() const { return config_; }

  /// New limits, from the next send on.
  void tune(const tune_channel& x);

  /// Workers that announced themselves, busy or not.
  void add_member() { ++members_; }
  void remove_member(const caf::actor_addr& worker);

  void add_idle(const delivery_worker_actor& worker) { idle_.push_back(worker); }

  /// A worker took a job, or has none any more.
  void worker_started() { ++busy_; }
  void worker_finished() { --busy_; }
  size_t busy() const { return busy_; }

  /// What the provider client allows at once; see `channel_gate`.
  void set_gate(uint32_t max_in_flight) { gate_ = max_in_flight; }
  bool is_closed() const { return gate_ == 0; }

  /// How many more jobs to claim; 0 while enough is at hand.
  uint32_t appetite() const;

  /// The wait between two sends of all processes together; 0 without a rate.
  caf::timespan interval() const;

  /// Adds jobs claimed at `now`, to be sent `interval()` apart from `first` on.
  void add_jobs(std::vector<delivery_job> jobs, time_point now, time_point first);

  /// An idle worker and the job for it, if both are there and one more send may begin.
  std::optional<std::pair<delivery_worker_actor, delivery_job>> next(time_point now);

  /// When `next` has something although it has nothing now: the first job's reserved moment.
  std::optional<time_point> next_moment() const;

  /// Takes all waiting jobs out.
  std::deque<waiting_job> take_waiting() { return std::exchange(waiting_, {}); }

  /// Drops the waiting jobs of one lease and returns how many they were.
  size_t drop_lease(int64_t lease_id);

  size_t idle() const { return idle_.size(); }
  size_t waiting() const { return waiting_.size(); }

  bool maybe_due = true; ///< False once a claim found less than it asked for.

private:
  size_t most_in_flight() const;

  channel_config config_;
  size_t members_ = 0;
  size_t busy_ = 0;
  uint32_t gate_ = std::numeric_limits<uint32_t>::max();
  std::deque<delivery_worker_actor> idle_;
  std::deque<waiting_job> waiting_;
  time_point not_before_; ///< The next send of a channel with a rate.
};

} // namespace notify
