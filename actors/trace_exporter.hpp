#pragma once

#include "actors/otlp_json.hpp"
#include "actors/span_budget.hpp"
#include "actors/tracing_config.hpp"
#include "http/client/http_client.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace notify {

struct trace_exporter_config {
  tracing_config tracing;
  trace_resource resource;
  std::shared_ptr<span_budget> budget; ///< The one that the spans were taken from; never null.
  caf::timespan stop_limit = std::chrono::seconds{2}; ///< For what is there at the end.
};

struct trace_exporter_state {
  using clock_type = caf::actor_clock::clock_type;

  /// Where the answer waits for the actor; filled on an I/O thread.
  struct answer_box {
    std::mutex mutex;
    std::optional<http_exchange> answer;
  };

  static constexpr const char* name = "trace-exporter";

  explicit trace_exporter_state(
      trace_exporter_actor::stateful_pointer<trace_exporter_state> selfptr)
      : self(selfptr) {}

  /// Ends its client, and gives the room back that its spans had.
  ~trace_exporter_state();

  void on_spans(spans_ended x);
  void on_tick();

  /// Sends what is there, waits for it shortly, and ends.
  void stop();

  // Details of the above.
  void arm(caf::timespan wait);
  void send_batch();
  void on_answer(const http_exchange& x);
  bool wants_retry(const http_exchange& x) const;
  void retry_later(const http_exchange& x);
  void drop_batch(const std::string& why);
  void forget(size_t count);
  void quit_if_done();
  actor_status status() const;

  trace_exporter_actor::stateful_pointer<trace_exporter_state> self;
  trace_exporter_config config;
  http_client_ptr client;
  std::string url;
  std::deque<span> pending;
  std::vector<span> batch;             ///< On the wire, or to be sent again.
  std::shared_ptr<answer_box> request; ///< Null: nothing is on the wire.
  clock_type::time_point not_before;   ///< The collector asked for a pause.
  clock_type::time_point tick_at = clock_type::time_point::max();
  clock_type::time_point stop_at;
  clock_type::time_point success_at;
  uint32_t tries = 0; ///< Of this batch.
  bool stopping = false;
  uint64_t exported = 0;
  uint64_t requests = 0;
  uint64_t retries = 0;
  std::string last_error;
};

/// Runs on the scheduler; the requests run on the I/O threads, one at a time.
///
/// A collector that answers 429 or 503 gets the batch again, as late as it asks for. Whatever else
/// goes wrong, the batch is dropped and counted: newer spans are worth more than old ones.
trace_exporter_actor::behavior_type
trace_exporter(trace_exporter_actor::stateful_pointer<trace_exporter_state> self,
               const trace_exporter_config& config, const http_client_ptr& client);

/// The client for the settings' endpoint; throws std::runtime_error if they are not valid.
http_client_ptr make_trace_client(boost::asio::io_context& io, const tracing_config& config);

} // namespace notify
