#pragma once

#include "actors/channel_lane.hpp"
#include "actors/directory.hpp"
#include "actors/loop_age.hpp"
#include "actors/metrics.hpp"
#include "actors/service_config.hpp"
#include "actors/tracer.hpp"
#include "messages/actors.hpp"
#include "persistence/claim_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace notify {

struct job_dispatcher_config {
  delivery_config delivery;
  std::map<std::string, channel_config> channels;
  int32_t reclaim_cap = 5; ///< Crashes of workers count as reclaims too.
  metrics_ptr metrics = private_metrics();
  tracer trace = {};
};

struct job_dispatcher_state {
  using clock_type = caf::actor_clock::clock_type;

  /// A claim of ours that is not finished.
  struct open_lease {
    uint32_t open = 0;                 ///< Jobs that wait here or are with a worker.
    clock_type::time_point good_until; ///< By our clock, counted from before it was asked for.
    bool missed = false;               ///< The last heartbeat did not find it.
  };

  /// What a worker holds, as far as a crash report needs it.
  struct assignment {
    attempt_ref attempt;
    uint32_t lease_size = 0;
    int32_t reclaims = 0;
    clock_type::time_point since;
    job_origin origin = {};
  };

  struct worker_info {
    std::string channel;
    std::optional<assignment> current;
  };

  static constexpr const char* name = "job-dispatcher";

  explicit job_dispatcher_state(
      job_dispatcher_actor::stateful_pointer<job_dispatcher_state> selfptr)
      : self(selfptr) {}

  void on_ready(const worker_ready& x);
  void on_busy(const worker_busy& x);
  void on_returned(const job_returned& x);
  void on_hint(const jobs_ready& x);
  void on_gate(const channel_gate& x);
  caf::result<channel_pause_set> on_pause(const set_channel_pause& x);
  void on_tune(const tune_channel& x);

  /// True if the worker has nothing that it does not know of: then it is forgotten.
  bool on_leaving(const worker_leaving& x);
  void on_worker_down(const caf::down_msg& x);

  /// Asks for a claim once the messages that wait now are handled: natural batching.
  void want_claim();
  void on_claim();
  void on_poll();
  void on_pace();
  void on_heartbeat();

  /// Gives back in one statement what gathered in `returned`.
  void on_release();
  void want_release();
  void return_waiting(channel_lane& x);

  /// Stops claiming, gives back what no worker has started, waits for the rest.
  void stop();

  /// The sends in flight had their time: has them cut and answered, then waits once more, shortly.
  void on_drain_timeout();
  void quit_if_drained();

  worker_info* enlist(const std::string& channel, const delivery_worker_actor& worker);
  bool claim_for(const std::string& channel, channel_lane& x);
  bool take_jobs(const std::string& channel, channel_lane& x, std::vector<delivery_job> jobs);
  void hand_out(channel_lane& x);
  void keep_pace(const channel_lane& x);
  void start_job(const delivery_worker_actor& worker, delivery_job job);
  void end_assignment(worker_info& x);
  void close_job(int64_t lease_id);
  void keep_heartbeat();
  void missed_heartbeat(int64_t lease_id);
  void report_crash(const std::string& channel, const assignment& lost);
  void storage_failed(const char* what, const caf::error& err);
  size_t busy_workers() const;
  actor_status status() const;

  job_dispatcher_actor::stateful_pointer<job_dispatcher_state> self;
  job_dispatcher_config config;
  claim_store_ptr store;
  directory_ptr dir;
  std::map<std::string, channel_lane> lanes;
  std::unordered_map<caf::actor_id, worker_info> workers;
  std::unordered_map<int64_t, open_lease> leases;
  bool claim_scheduled = false;
  bool heartbeat_scheduled = false;
  bool release_scheduled = false;
  bool stopping = false;
  bool cut = false;                    ///< While stopping: the sends in flight were ended.
  std::vector<attempt_ref> returned;   ///< To be given back.
  std::vector<attempt_ref> given_back; ///< While stopping: all that was given back.
  caf::timespan backoff{0};
  clock_type::time_point pace_at = clock_type::time_point::max(); ///< The next `pace_tick`.
  uint64_t claimed = 0;
  uint64_t claims = 0;
  uint64_t lost_leases = 0;
  uint64_t released = 0;
  uint64_t worker_crashes = 0;
  loop_age success; ///< Of claiming.
  std::string last_error;
};

/// Blocks in `store`, so the caller spawns it with `caf::detached`.
job_dispatcher_actor::behavior_type
job_dispatcher(job_dispatcher_actor::stateful_pointer<job_dispatcher_state> self,
               const job_dispatcher_config& config, const claim_store_ptr& store,
               const directory_ptr& dir);

} // namespace notify
