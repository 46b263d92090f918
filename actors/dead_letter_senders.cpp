#include "actors/dead_letter_relay.hpp"

namespace notify {

namespace {

/// The broker decides what is too large: its limit is the topic's, ours would only be a guess.
constexpr size_t no_limit = 256u << 20u;

} // namespace

record_sender_factory dead_letter_senders(const consumer_config& kafka,
                                          const dead_letter_config& config) {
  kafka::producer_config own;
  own.brokers = kafka.brokers;
  own.client_id = kafka.client_id;
  own.linger = caf::timespan{0};
  own.message_timeout = config.message_timeout;
  own.queue_timeout = std::chrono::seconds{1};
  own.max_message_bytes = no_limit;
  own.more = kafka::connection_properties(kafka.properties);
  // The broker refuses a request as a whole: one that is too large must not take others with it.
  own.more.insert_or_assign("batch.num.messages", "1");
  // How long a topic that the cluster does not know may still appear.
  own.more.insert_or_assign("topic.metadata.propagation.max.ms", "5000");
  return
      [own](
          kafka::report_handler on_report) -> caf::expected<std::unique_ptr<kafka::record_sender>> {
        auto made = kafka::producer::create(own, std::move(on_report));
        if (!made)
          return std::move(made.error());
        return std::unique_ptr<kafka::record_sender>{std::move(*made)};
      };
}

} // namespace notify
