#pragma once

#include "actors/kafka/record_source.hpp"
#include "actors/loop_age.hpp"
#include "actors/metrics.hpp"
#include "actors/record_buffer.hpp"
#include "actors/service_config.hpp"
#include "actors/tracer.hpp"
#include "messages/actors.hpp"

#include <caf/expected.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace notify {

/// Makes the group member; called once per life of the actor.
using record_source_factory = std::function<caf::expected<std::unique_ptr<kafka::record_source>>()>;

/// The writers that live right now. Called for each batch, because a restarted writer is a new
/// actor.
using writer_resolver = std::function<std::vector<inbox_writer_actor>()>;

struct consumer_state {
  static constexpr const char* name = "consumer";

  using pointer = consumer_actor::stateful_pointer<consumer_state>;
  using time_point = caf::actor_clock::time_point;

  enum class phase : uint8_t {
    probing,    ///< Storage did not answer yet: we stay out of the group.
    running,    ///< A member.
    draining,   ///< Stopping: waits for batches in flight.
    committing, ///< Stopping: waits for the last commit.
    closing,    ///< Stopping: leaves the group.
  };

  /// The part of a batch that one partition gave.
  struct slice {
    kafka::topic_partition where;
    uint64_t epoch = 0;
    int64_t next_offset = 0;
  };

  /// Records on their way into storage. Kept until they are durable, so that a failed batch runs
  /// again as a whole, before anything newer of its partitions. Without records it is a probe.
  struct open_batch {
    std::vector<kafka_record> records;
    std::vector<slice> slices;
    size_t bytes = 0;
    caf::actor_addr writer; ///< Null while it waits for another try.
    uint32_t failures = 0;
    bool halted = false; ///< The last try ended with `ec::ingest_halted`.
    std::optional<span> tracing = std::nullopt;

    bool in_flight() const { return writer != nullptr; }
  };

  explicit consumer_state(pointer selfptr);

  // Life: consumer.cpp.
  void start();
  void on_poll_tick();
  void stop(const caf::error& reason);
  actor_status status() const;

  // What a poll brought: consumer_events.cpp.
  bool fetch();
  void take(std::monostate) {}
  void take(kafka_record& x);
  void take(kafka::partitions_assigned& x);
  void take(kafka::partitions_revoking& x);
  void take(kafka::partition_end& x);
  void take(kafka::partition_stalled& x);
  void take(kafka::commit_finished& x);
  void take(kafka::source_trouble& x);
  void take(kafka::source_failed& x);
  void take(kafka::lag_measured& x);

  // From records to stored offsets: consumer_batches.cpp.
  void dispatch();
  void retry(uint64_t id);
  void on_stored(uint64_t id, const batch_stored& report);
  void on_failed(uint64_t id, const caf::error& reason);
  void update_gate();

  // Details of the above.
  void join();
  bool advance_stop();
  void finish_revoke_if_due();
  void commit_if_due();
  void start_commit();
  void hand_over(uint64_t id, const inbox_writer_actor& writer);
  void store_offsets(const open_batch& batch);
  void retry_later(uint64_t id, const open_batch& batch);
  void strip_stale(open_batch& batch) const;
  inbox_writer_actor free_writer();
  bool any_in_flight() const;
  bool any_halted() const;
  void update_full();
  void show_lag() const;
  void show_state() const;
  void hear_from_all();
  void watch_polls();
  size_t held_records() const;
  size_t held_bytes() const;
  caf::timespan poll_timeout() const;
  std::string state_name() const;
  time_point now() const;

  pointer self;
  measured<consumer_config> config;
  std::unique_ptr<kafka::record_source> source;
  writer_resolver writers;
  tracer trace;

  phase step = phase::probing;
  record_buffer buffer;
  std::map<uint64_t, open_batch> batches;
  uint64_t last_batch = 0;
  size_t writer_turn = 0;

  bool storage_up = true;
  bool full = false; ///< Above the high mark and not below the low one since.
  time_point full_since;
  bool gate_open = true;

  bool is_member = false;
  size_t assigned = 0;
  bool revoking = false;
  bool revoke_lost = false;
  time_point revoke_deadline;
  std::map<kafka::topic_partition, std::string> stalled;
  std::map<kafka::topic_partition, int64_t> ends;
  std::map<kafka::topic_partition, int64_t> lag;
  std::map<kafka::topic_partition, time_point> heard; ///< When each brought something last.
  std::set<kafka::topic_partition> silent;            ///< Records wait there, and none comes.

  bool dirty = false; ///< Offsets were stored since the last commit began.
  bool commit_in_flight = false;
  time_point next_commit;

  time_point last_poll;
  loop_age success; ///< Of polling.

  caf::error stop_reason;
  time_point stop_started;
  bool failed = false;
  std::string last_error;

  struct {
    int64_t records = 0, batches = 0, events = 0, jobs = 0, duplicates = 0, dead_letters = 0;
    int64_t rebalances = 0, commits = 0, commit_errors = 0, store_errors = 0, stale_results = 0,
            late_polls = 0;
  } count;
};

/// Blocks in poll for at most 100 ms, so the caller spawns it with `caf::detached`. It joins the
/// group once a writer stored an empty batch.
///
/// A full buffer first only stops the polling: the client's own queue is bounded as well. Pausing
/// the partitions throws that queue away, so it is kept for storage that stands still.
///
/// A revoke never waits inside librdkafka's callback: the partitions are given up by a later turn,
/// when their batches in flight came back or `drain_timeout` is over, so that the actor serves its
/// mailbox and polls meanwhile. Whatever comes back later is dropped by its epoch; the next owner
/// reads it again and the event ids collapse.
///
/// `user_shutdown` stops it in order within `close_timeout`: half of that for batches in flight, a
/// quarter for the last commit, the rest for leaving the group.
consumer_actor::behavior_type consumer(consumer_state::pointer self,
                                       const measured<consumer_config>& config,
                                       const record_source_factory& make_source,
                                       writer_resolver writers, const tracer& trace);

/// The real source: a group member of Kafka.
record_source_factory kafka_records(const consumer_config& config);

} // namespace notify
