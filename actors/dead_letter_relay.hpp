#pragma once

#include "actors/dead_letter_config.hpp"
#include "actors/dead_letter_record.hpp"
#include "actors/kafka/consumer_config.hpp"
#include "actors/loop_age.hpp"
#include "actors/metrics.hpp"
#include "messages/actors.hpp"
#include "persistence/dead_letter_store.hpp"

#include <caf/expected.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace notify {

/// Makes a producer whose reports go to the given function; called again after each one that broke.
using record_sender_factory =
    std::function<caf::expected<std::unique_ptr<kafka::record_sender>>(kafka::report_handler)>;

struct dead_letter_relay_config {
  dead_letter_config timing;
  dead_letter_origin origin;
  metrics_ptr metrics = private_metrics();
};

struct dead_letter_relay_state {
  static constexpr const char* name = "dead-letter-relay";

  using pointer = dead_letter_relay_actor::stateful_pointer<dead_letter_relay_state>;
  using time_point = caf::actor_clock::time_point;

  /// A letter that the producer has, by its token.
  struct sending {
    stored_letter letter;
    std::string stub; ///< Why the stub was sent; empty: the record itself was.
  };

  explicit dead_letter_relay_state(pointer selfptr) : self(selfptr) {}

  void on_hint();
  void on_relay_tick(uint64_t generation);
  void on_reports_tick(uint64_t generation);
  void stop(const caf::error& reason);
  actor_status status() const;

  // One batch, from the database to the broker and back.
  void begin_batch();
  void send(stored_letter letter, const std::string& stub);
  void take_reports();
  void take(const kafka::delivery_report& report);
  void finish_batch();
  bool mark();

  // Details of the above.
  bool ensure_sender();
  void discard_sender(const std::string& why);
  void finish_pass();
  void park(const std::string& why);
  void retry_after_failure();
  void schedule(caf::timespan delay);
  void look_for_reports(caf::timespan delay);
  void storage_failed(const caf::error& err);

  pointer self;
  dead_letter_relay_config config;
  letter_relay_store_ptr store;
  record_sender_factory make_sender;
  std::unique_ptr<kafka::record_sender> sender;

  std::map<uint64_t, sending> in_flight;
  std::vector<kafka::delivery_report> reports; ///< As they arrived, not looked at yet.
  std::vector<published_letter> unmarked;      ///< The broker has them, the database does not know.
  uint64_t last_token = 0;
  int64_t after_id = 0;    ///< Where this pass is; the next one begins at the front again.
  uint64_t generation = 0; ///< Of the one timer that is armed.
  bool busy = false;       ///< A batch is with the broker.
  bool hinted = false;     ///< Something came while a pass was under way.
  bool holds_lease = false;
  bool pass_failed = false;   ///< Letters of this pass wait for another try.
  bool broker_failed = false; ///< Of this batch, because the broker did not take them.
  caf::timespan backoff{0};
  time_point batch_deadline;
  std::string parked; ///< Why only a person can help; empty: nothing is wrong.
  std::string condition = "running";
  loop_age success; ///< A look at the database, or letters that were marked.
  std::string last_error;
  std::map<std::string, int64_t> counters;
};

/// Publishes what is unpublished, lowest id first, and marks it once the broker has it. It blocks
/// in `store` and, for a tenth of a second at most, in the producer, so the caller spawns it with
/// `caf::detached`. Of all processes on one database one publishes at a time.
///
/// Between an acknowledgement and its mark a crash makes the letter come twice, under the same id.
/// Nothing here holds up ingest: what cannot be published waits in the database.
dead_letter_relay_actor::behavior_type dead_letter_relay(dead_letter_relay_state::pointer self,
                                                         const dead_letter_relay_config& config,
                                                         const letter_relay_store_ptr& store,
                                                         record_sender_factory make_sender);

/// Producers with the consumer's way to the cluster.
record_sender_factory dead_letter_senders(const consumer_config& kafka,
                                          const dead_letter_config& config);

} // namespace notify
