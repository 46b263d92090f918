#pragma once

#include "actors/providers/provider.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace notify {

struct provider_client_config {
  std::string channel;
  caf::timespan deadline = std::chrono::seconds{30};
  caf::timespan check_interval = std::chrono::seconds{1};
};

struct provider_client_state {
  using clock_type = caf::actor_clock::clock_type;

  struct pending {
    delivery_worker_actor worker;
    clock_type::time_point give_up_at;
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
  void stop();
  actor_status status() const;

  provider_client_actor::stateful_pointer<provider_client_state> self;
  provider_client_config config;
  provider_ptr adapter;
  std::map<std::pair<uuid, int32_t>, pending> in_flight;
  bool deadline_armed = false;
  uint64_t requests = 0;
  uint64_t late_answers = 0;
  std::map<std::string, int64_t> by_outcome;
  std::string last_error;
};

/// Runs on the scheduler; the adapter's I/O runs on its own threads.
provider_client_actor::behavior_type
provider_client(provider_client_actor::stateful_pointer<provider_client_state> self,
                const provider_client_config& config, const provider_ptr& adapter);

} // namespace notify
