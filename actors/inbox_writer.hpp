#pragma once

#include "actors/envelope.hpp"
#include "actors/ingest_breaker.hpp"
#include "actors/live_value.hpp"
#include "actors/metrics.hpp"
#include "actors/routing.hpp"
#include "actors/suspect_watch.hpp"
#include "actors/tracer.hpp"
#include "actors/trial_gate.hpp"
#include "messages/actors.hpp"
#include "persistence/ingest_store.hpp"
#include "persistence/job_signal.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace notify {

struct ingest_plan;

/// The relay that lives right now, or a null handle.
using relay_resolver = std::function<dead_letter_relay_actor()>;

/// What the inbox writers of one process share.
struct ingest_commons {
  explicit ingest_commons(const ingest_breaker_policy& policy) : breaker(policy) {}

  ingest_breaker breaker;
  trial_gate gate;
};

struct inbox_writer_config {
  envelope_limits limits;
  uint32_t tries = 3;       ///< Of one event that the database refuses, before it is dead-lettered.
  uint32_t crash_tries = 3; ///< Of one record that kills its writer, before it is dead-lettered.
  size_t watched_records = 1000; ///< See `suspect_watch`: the most records of one batch.
  ingest_breaker_policy breaker;
  /// Null: this writer is the only one of its process.
  std::shared_ptr<ingest_commons> commons;
  relay_resolver relay = {};               ///< Gets a hint after dead letters; empty: nobody does.
  std::shared_ptr<job_signal> signal = {}; ///< For other processes; null: nobody tells them.
  metrics_ptr metrics = private_metrics();
  tracer trace = {};
};

/// The dispatcher that lives right now, or a null handle. Called for each hint, because a
/// restarted dispatcher is a new actor.
using dispatcher_resolver = std::function<job_dispatcher_actor()>;

struct inbox_writer_state {
  static constexpr const char* name = "inbox-writer";

  using pointer = inbox_writer_actor::stateful_pointer<inbox_writer_state>;

  explicit inbox_writer_state(pointer selfptr) : self(selfptr) {}

  /// Makes the batch durable as a whole or answers why not.
  caf::result<batch_stored> store(const store_batch& x);

  actor_status status() const;

  // Details of the above.
  caf::error store_all(const std::vector<kafka_record>& batch, batch_stored& sum);
  caf::error store_part(const batch_part& x, batch_stored& sum);
  caf::error work_on(const batch_part& x, batch_stored& sum);
  ingest_plan plan_part(const batch_part& x) const;
  caf::error ask_breaker(const ingest_plan& planned);
  caf::expected<ingest_report> store_plan(const batch_part& x, ingest_plan& planned);
  caf::expected<ingest_report> isolate(const batch_part& x, ingest_plan& planned,
                                       const caf::error& reason);
  void forget(const std::vector<ingest_mark>& marks);
  void end_trace(const batch_stored& sum);
  void account(const ingest_plan& plan, const ingest_report& report, size_t records);
  void measure(const batch_part& x, const ingest_plan& plan, const ingest_report& report);
  void report_refused(const ingest_plan& plan);
  void watch_refusals(const ingest_plan& plan, const ingest_report& report);
  void give_hint(const ingest_plan& plan, const ingest_report& report);

  pointer self;
  inbox_writer_config config;
  ingest_store_ptr storage;
  live_value<routing_table> routes;
  dispatcher_resolver dispatcher;
  suspect_watch watch{3, 0};

  caf::error failure; ///< Of the last batch; none if it was stored.
  std::string last_error;
  std::optional<span> tracing; ///< Of the batch at hand.
  uint64_t records = 0;
  uint64_t refused_in_a_row = 0; ///< Without one good event in between.
  std::map<std::string, int64_t> counters;
};

/// Blocks in `storage`, so the caller spawns it with `caf::detached`.
///
/// An outage is answered as it is and never counts against an event. A value that the database
/// refuses is found by halving the batch: the good events are stored on the way, the culprit
/// becomes a dead letter (`storage_refused`) together with the batch's other dead letters and
/// positions.
///
/// A record that kills the writer or the process is found by the marks that it leaves (see
/// `suspect_watch`) and becomes a dead letter (`crashed_repeatedly`) as well. A batch with too many
/// records that are unfit (see `ingest_breaker`) is not stored but answered `ingest_halted`.
inbox_writer_actor::behavior_type inbox_writer(inbox_writer_state::pointer self,
                                               const inbox_writer_config& config,
                                               ingest_store_ptr storage,
                                               live_value<routing_table> routes,
                                               dispatcher_resolver dispatcher);

} // namespace notify
