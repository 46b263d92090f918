#pragma once

#include "actors/metrics.hpp"
#include "actors/service_config.hpp"
#include "messages/actors.hpp"
#include "persistence/janitor_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace notify {

struct janitor_state {
  static constexpr const char* name = "janitor";

  explicit janitor_state(janitor_actor::stateful_pointer<janitor_state> selfptr) : self(selfptr) {}

  /// Where the search for one kind of rows stands.
  struct sweep {
    sweep_position position;
    uint64_t backlog = 0;     ///< Rows that may go and are still there, as far as was counted.
    uint64_t until_count = 0; ///< Rows to look at before they are counted again.
  };

  /// Begins a pass, or joins the one that runs; answered when it ends.
  caf::result<janitor_report> clean();

  /// One batch. The next one is a message again, so that others get their turn in between.
  void on_tick(const janitor_tick& tick);

  actor_status status() const;

  void start_pass();
  void step();
  void count(retained kind, const cleaned_batch& batch);
  void estimate(retained kind, sweep& x);
  void fail(const caf::error& err);
  void finish(bool is_complete);
  void arm(caf::timespan delay);
  uint64_t backlog() const;

  janitor_actor::stateful_pointer<janitor_state> self;
  measured<retention_config> config;
  janitor_store_ptr store;
  std::array<sweep, retained_kinds.size()> sweeps;
  size_t current = 0; ///< Index of the kind that is being cleaned.
  bool is_cleaning = false;
  uint32_t batch_size = 0; ///< Smaller than configured after a batch took too long.
  uint64_t generation = 0;
  janitor_report pass;
  janitor_report total;
  uint64_t passes = 0;
  uint64_t skipped = 0;
  uint64_t errors = 0;
  std::string last_error;
  std::optional<std::chrono::steady_clock::time_point> last_success;
  std::vector<caf::typed_response_promise<janitor_report>> waiting;
};

/// Blocks in `store`, so the caller spawns it with `caf::detached`.
janitor_actor::behavior_type janitor(janitor_actor::stateful_pointer<janitor_state> self,
                                     const measured<retention_config>& config,
                                     const janitor_store_ptr& store);

} // namespace notify
