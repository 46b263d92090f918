#pragma once

#include "actors/loop_age.hpp"
#include "actors/metrics.hpp"
#include "messages/actors.hpp"
#include "persistence/result_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace notify {

struct result_writer_config {
  size_t batch = 1000; ///< Most results of one transaction.
  metrics_ptr metrics = private_metrics();
};

struct result_writer_state {
  /// How much of one lease has been recorded here. All results of a lease come to one writer.
  struct lease_progress {
    uint32_t size = 0;
    std::unordered_set<uuid> recorded;
  };

  static constexpr const char* name = "result-writer";

  explicit result_writer_state(result_writer_actor::stateful_pointer<result_writer_state> selfptr)
      : self(selfptr) {}

  void on_record(record_result x);

  /// Writes batch after batch until nothing waits or the storage fails.
  void on_flush();

  /// Takes up to a batch from the front of what waits and answers its workers once it is durable.
  bool flush_batch();
  caf::expected<std::vector<bool>> store_results(const std::vector<attempt_result>& results);

  /// After the database refused a value: halves until the culprit is alone, then records that one
  /// without the provider's words. An attempt's success outlives its description.
  caf::expected<std::vector<bool>> isolate(const std::vector<attempt_result>& results);
  std::vector<int64_t> completed_leases(const std::vector<attempt_result>& results);
  void note_progress(const std::vector<attempt_result>& results);
  void answer(size_t count, const std::vector<bool>& applied);

  /// Successes whose attempt was abandoned before; kept until the database has them.
  bool flush_late();
  void storage_failed(const caf::error& err);
  void want_flush();
  void stop();
  actor_status status() const;

  result_writer_actor::stateful_pointer<result_writer_state> self;
  result_writer_config config;
  result_store_ptr store;
  std::deque<record_result> pending;
  std::map<std::pair<uuid, int32_t>, size_t> waiting_since; ///< Attempt -> its running number.
  uint64_t first_number = 0;                                ///< Running number of pending.front().
  std::deque<attempt_result> late;
  std::unordered_map<int64_t, lease_progress> leases;
  bool flush_scheduled = false;
  caf::timespan backoff{0};
  uint64_t recorded = 0;
  uint64_t transactions = 0;
  uint64_t refused = 0;
  uint64_t late_successes = 0;
  uint64_t superseded = 0; ///< Failures whose attempt had been ended by somebody else.
  loop_age success;
  std::string last_error;
};

/// Blocks in `store`, so the caller spawns it with `caf::detached`.
result_writer_actor::behavior_type
result_writer(result_writer_actor::stateful_pointer<result_writer_state> self,
              const result_writer_config& config, const result_store_ptr& store);

} // namespace notify
