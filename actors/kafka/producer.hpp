#pragma once

#include "actors/kafka/conf.hpp"
#include "messages/kafka.hpp"

#include <caf/error.hpp>
#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace notify::kafka {

struct producer_config {
  std::vector<std::string> brokers = {"127.0.0.1:9092"};
  std::string client_id = "notifyd";
  caf::timespan linger = std::chrono::milliseconds{5};
  caf::timespan message_timeout = std::chrono::seconds{30}; ///< From `produce` to its report.
  caf::timespan queue_timeout = std::chrono::seconds{10};   ///< How long a full queue may block.
  size_t max_message_bytes = 1048588; ///< Not above the topics' `max.message.bytes`.
  properties more;                    ///< Further librdkafka properties; they win.
};

/// A record on its way out.
struct outgoing_record {
  std::string topic;
  nullable_bytes key;
  nullable_bytes value; ///< Not present: a tombstone.
  std::vector<record_header> headers;
  std::optional<int64_t> timestamp_ms; ///< Milliseconds since 1970; without it the time of sending.
  uint64_t token = 0;                  ///< The caller's own mark; comes back in the report.
};

/// What became of a record.
enum class delivery : uint8_t {
  acknowledged,     ///< All in-sync replicas have it.
  refused,          ///< It will never be taken as it is, for example because of its size.
  not_written,      ///< It is not in the topic: send it again.
  possibly_written, ///< Sending it again may double it, not sending it may lose it.
};

struct delivery_report {
  uint64_t token = 0;
  delivery result = delivery::not_written;
  int32_t partition = -1;
  int64_t offset = -1;
  std::string reason; ///< Empty if acknowledged.
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
};

using report_handler = std::function<void(const delivery_report&)>;

/// Sends records and tells what became of each. Belongs to one thread at a time.
class record_sender {
public:
  virtual ~record_sender() = default;

  virtual caf::error produce(const outgoing_record& x) = 0;
  virtual void poll(caf::timespan timeout) = 0;
  virtual caf::error fatal() const = 0;
};

/// An idempotent producer: acknowledged by all in-sync replicas, in order per partition, without
/// duplicates of its own retries. Keys go to the partition that a Java producer would choose.
///
/// Belongs to one thread at a time. Reports arrive on that thread, inside `produce`, `poll` and
/// `flush`, exactly one for each accepted record; those still pending at destruction get none.
class producer : public record_sender {
public:
  /// Does not wait for a broker. `ec::invalid_config` if a property is wrong.
  static caf::expected<std::unique_ptr<producer>> create(const producer_config& config,
                                                         report_handler on_report);

  producer(const producer&) = delete;
  producer& operator=(const producer&) = delete;
  ~producer() override;

  /// Queues a copy of `x`. Blocks while the queue is full, at most `queue_timeout`. After an error
  /// the record was not queued and gets no report: `ec::invalid_event` if it can never be sent,
  /// `ec::kafka_unavailable` if it may be tried again, `ec::kafka_fatal` if only a new producer
  /// helps.
  caf::error produce(const outgoing_record& x) override;

  /// Delivers reports that arrived; waits for the first at most `timeout`.
  void poll(caf::timespan timeout) override;

  /// Waits until every queued record has its report. `ec::kafka_unavailable` if some are left after
  /// `timeout`: they stay queued.
  caf::error flush(caf::timespan timeout);

  /// The error that ended this producer for good (`ec::kafka_fatal`), or none. Create a new one and
  /// send again what was not acknowledged.
  caf::error fatal() const override;

  /// Records queued or in flight, without a report so far.
  size_t pending() const;

  /// The client itself, for what this class does not wrap.
  rd_kafka_t* client() const { return client_.get(); }

private:
  producer(caf::timespan queue_timeout, report_handler on_report);

  static void on_message(rd_kafka_t* client, const rd_kafka_message_t* message, void* self);

  error_ptr enqueue(const outgoing_record& x);

  caf::timespan queue_timeout_;
  report_handler on_report_;
  client_ptr client_;
};

} // namespace notify::kafka
