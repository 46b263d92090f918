#pragma once

#include "actors/circuit_breaker.hpp"
#include "actors/directory.hpp"
#include "actors/metrics.hpp"
#include "actors/providers/provider.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace notify {

struct provider_client_config {
  std::string channel;
  caf::timespan deadline = std::chrono::seconds{30}; ///< The adapter keeps it by itself.
  caf::timespan grace = std::chrono::seconds{2};     ///< For an adapter that does not.
  caf::timespan check_interval = std::chrono::seconds{1};
  uint32_t concurrency = 16;                       ///< Most sends on the wire at once.
  caf::timespan max_pause = std::chrono::hours{1}; ///< Clamp for a wait that the provider asked.
  breaker_policy breaker;
  metrics_ptr metrics = private_metrics();
};

struct provider_client_state {
  using clock_type = caf::actor_clock::clock_type;
  using time_point = clock_type::time_point;

  struct pending {
    delivery_worker_actor worker;
    time_point give_up_at;
    bool is_probe = false;
    time_point asked_at;
    job_origin origin = {};
  };

  static constexpr const char* name = "provider-client";

  explicit provider_client_state(
      provider_client_actor::stateful_pointer<provider_client_state> selfptr)
      : self(selfptr) {}

  void on_send(send_message x);
  void on_finished(const send_finished& x);

  /// Answers for requests that the adapter kept too long.
  void on_deadline();
  void arm_deadline();
  void answer(const pending& asked, send_finished x);
  void refuse(const send_message& x);
  void show_state() const;

  /// A success whose worker has gone on: the database learns of it all the same.
  void record_late(const send_finished& x);

  /// Takes in what an answer tells about the provider as a whole.
  void learn(const outcome& result, bool was_probe);

  /// How many sends may be on the wire now, and why not more.
  channel_gate gate() const;

  /// Tells the dispatcher the gate if it is not the last one told.
  void announce();
  void arm_gate();
  void on_gate_tick();
  void on_cut();
  void on_tune(const tune_channel& x);
  void stop();
  actor_status status() const;

  provider_client_actor::stateful_pointer<provider_client_state> self;
  provider_client_config config;
  provider_metrics* metrics = nullptr; ///< Of its channel and provider.
  provider_ptr adapter;
  directory_ptr dir;
  std::map<std::pair<uuid, int32_t>, pending> in_flight;
  circuit_breaker breaker;
  time_point paused_until;    ///< The provider asked all of us to wait.
  uint32_t told = UINT32_MAX; ///< The gate that the dispatcher knows.
  time_point next_gate_tick = time_point::max();
  bool cut = false;
  bool deadline_armed = false;
  uint64_t requests = 0;
  uint64_t refused = 0;
  uint64_t late_answers = 0;
  uint64_t pauses = 0;
  std::map<std::string, int64_t> by_outcome;
  std::string last_error;
};

/// Runs on the scheduler; the adapter's I/O runs on its own threads.
provider_client_actor::behavior_type
provider_client(provider_client_actor::stateful_pointer<provider_client_state> self,
                const provider_client_config& config, const provider_ptr& adapter,
                const directory_ptr& dir);

} // namespace notify
