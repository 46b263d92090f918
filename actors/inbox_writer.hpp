#pragma once

#include "actors/envelope.hpp"
#include "actors/routing.hpp"
#include "messages/actors.hpp"
#include "persistence/ingest_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace notify {

struct ingest_plan;

/// The relay that lives right now, or a null handle.
using relay_resolver = std::function<dead_letter_relay_actor()>;

struct inbox_writer_config {
  envelope_limits limits;
  uint32_t tries = 3; ///< Of one event that the database refuses, before it is dead-lettered.
  relay_resolver relay = {}; ///< Gets a hint after dead letters; empty: nobody does.
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
  void account(const ingest_plan& plan, const ingest_report& report, size_t records);
  void report_refused(const ingest_plan& plan);
  void watch_refusals(const ingest_plan& plan, const ingest_report& report);
  void give_hint(const ingest_plan& plan, const ingest_report& report);

  pointer self;
  inbox_writer_config config;
  ingest_store_ptr storage;
  std::shared_ptr<const routing_table> routes;
  dispatcher_resolver dispatcher;

  std::string last_error;
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
inbox_writer_actor::behavior_type inbox_writer(inbox_writer_state::pointer self,
                                               const inbox_writer_config& config,
                                               ingest_store_ptr storage,
                                               std::shared_ptr<const routing_table> routes,
                                               dispatcher_resolver dispatcher);

} // namespace notify
