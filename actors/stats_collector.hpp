#pragma once

#include "actors/directory.hpp"
#include "actors/loop_age.hpp"
#include "actors/metrics.hpp"
#include "messages/actors.hpp"
#include "persistence/stats_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace notify {

struct stats_collector_config {
  caf::timespan interval = std::chrono::seconds{5}; ///< Plus jitter.
  metrics_ptr metrics = private_metrics();
};

struct stats_collector_state {
  using clock_type = caf::actor_clock::clock_type;

  static constexpr const char* name = "stats-collector";

  explicit stats_collector_state(
      stats_collector_actor::stateful_pointer<stats_collector_state> selfptr)
      : self(selfptr) {}

  void on_tick();
  actor_status status() const;

  // Details of the above.
  void collect();
  void collect_counts();
  void take(const std::map<std::string, channel_counts>& counts);
  void take(const figure_map& figures, const std::string& replaced);
  void add_rates(const std::map<std::string, channel_counts>& counts);
  void failed(const char* what, const caf::error& err);
  void look_at_actors();
  void arm();

  stats_collector_actor::stateful_pointer<stats_collector_state> self;
  stats_collector_config config;
  stats_store_ptr store;
  directory_ptr dir;
  stats_report report;
  /// Sums over all channels at the moments of the last minute, for rates.
  std::deque<std::pair<clock_type::time_point, channel_counts>> past;
  bool reachable = true;
  bool read_only = false;
  loop_age success;
  uint64_t rounds = 0;
  uint64_t failures = 0;
};

/// Looks at the tables and, through the inspector, at all actors, in a rhythm of its own: whoever
/// asks gets the last figures. What could not be found out keeps its old figure, and the report
/// says so; what was never known is not in it. Blocks in `store`: spawn detached.
stats_collector_actor::behavior_type
stats_collector(stats_collector_actor::stateful_pointer<stats_collector_state> self,
                const stats_collector_config& config, const stats_store_ptr& store,
                const directory_ptr& dir);

} // namespace notify
