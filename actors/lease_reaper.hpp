#pragma once

#include "actors/loop_age.hpp"
#include "actors/metrics.hpp"
#include "actors/service_config.hpp"
#include "messages/actors.hpp"
#include "persistence/reaper_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <string>

namespace notify {

struct lease_reaper_state {
  static constexpr const char* name = "lease-reaper";

  explicit lease_reaper_state(lease_reaper_actor::stateful_pointer<lease_reaper_state> selfptr)
      : self(selfptr) {}

  /// Runs one pass, in small batches until one comes back thin.
  caf::result<reap_report> reap();

  /// Counts what one batch came to.
  void measure(const reap_report& x);

  /// Runs a pass and arms the next tick; a failed pass only delays the work.
  void on_tick();
  void arm();
  actor_status status() const;

  lease_reaper_actor::stateful_pointer<lease_reaper_state> self;
  measured<reaper_config> config;
  reaper_store_ptr store;
  uint64_t passes = 0;
  reap_report total;
  loop_age success;
  std::string last_error;
};

/// Blocks in `store`, so the caller spawns it with `caf::detached`.
lease_reaper_actor::behavior_type
lease_reaper(lease_reaper_actor::stateful_pointer<lease_reaper_state> self,
             const measured<reaper_config>& config, const reaper_store_ptr& store);

} // namespace notify
