#include "actors/dead_letter_relay.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace notify {

namespace {

/// The broker decides what is too large: its limit is the topic's, ours would only be a guess.
constexpr size_t no_limit = 256u << 20u;

/// How the cluster is reached, as opposed to how it is read.
bool concerns_connections(std::string_view property) {
  constexpr std::array<std::string_view, 11> prefixes{
      "security.", "sasl.",      "ssl.",         "socket.", "broker.",     "client.",
      "enable.s",  "reconnect.", "oauthbearer.", "api.",    "connections."};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](auto prefix) { return property.starts_with(prefix); });
}

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
  for (const auto& [name, value] : kafka.properties)
    if (concerns_connections(name))
      own.more.emplace(name, value);
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
