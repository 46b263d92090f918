#pragma once

#include "messages/operator_actors.hpp"
#include "persistence/operation_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/timespan.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace notify {

struct operation_runner_config {
  caf::timespan interval = std::chrono::seconds{2};    ///< Between looks for work, plus jitter.
  caf::timespan pause = std::chrono::milliseconds{20}; ///< After a batch: others need the disk.
  operation_batch batch;
};

struct operation_runner_state {
  static constexpr const char* name = "operation-runner";

  explicit operation_runner_state(
      operation_runner_actor::stateful_pointer<operation_runner_state> selfptr)
      : self(selfptr) {}

  /// One batch of whatever runs. The next one is a message again.
  void on_tick(const operation_tick& tick);

  void arm(caf::timespan delay);
  void fail(const caf::error& err);
  actor_status status() const;

  operation_runner_actor::stateful_pointer<operation_runner_state> self;
  operation_runner_config config;
  operation_store_ptr store;
  operation_batch batch; ///< Smaller than configured after one that took too long.
  uint64_t generation = 0;
  bool is_working = false;
  uint64_t batches = 0;
  uint64_t matched = 0;
  uint64_t done = 0;
  uint64_t finished = 0; ///< Operations.
  uint64_t errors = 0;
  std::string last_error;
  std::optional<std::chrono::steady_clock::time_point> last_success;
};

/// Blocks in `store`, so the caller spawns it with `caf::detached`.
operation_runner_actor::behavior_type
operation_runner(operation_runner_actor::stateful_pointer<operation_runner_state> self,
                 const operation_runner_config& config, const operation_store_ptr& store);

} // namespace notify
