#include "actors/kafka/range_reader.hpp"

#include "actors/kafka/record_reader.hpp"
#include "messages/error.hpp"
#include "messages/uuid.hpp"

#include <chrono>

namespace notify::kafka {

caf::expected<range_reader> range_reader::open(const std::vector<std::string>& brokers,
                                               const std::string& topic, int32_t partition,
                                               int64_t first, int64_t end,
                                               const properties& connection) {
  // The library wants a group for any consumer; nothing of this one reaches the broker.
  auto values = guest_properties(brokers, "notifyctl-" + to_string(uuid::random()), connection);
  values.insert_or_assign("auto.offset.reset", "error");
  values.insert_or_assign("enable.partition.eof", "true");
  values.insert_or_assign("isolation.level", "read_committed");
  auto client = open_client(RD_KAFKA_CONSUMER, values);
  if (!client)
    return std::move(client.error());
  rd_kafka_poll_set_consumer(client->get());
  partition_list_ptr place{rd_kafka_topic_partition_list_new(1)};
  rd_kafka_topic_partition_list_add(place.get(), topic.c_str(), partition)->offset = first;
  auto code = rd_kafka_assign(client->get(), place.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "read " + topic);
  return range_reader{std::move(*client), first, end};
}

caf::expected<std::optional<kafka_record>> range_reader::next(caf::timespan timeout) {
  using clock = std::chrono::steady_clock;
  auto deadline = clock::now() + timeout;
  while (next_ < end_) {
    if (clock::now() >= deadline)
      return caf::make_error(ec::kafka_unavailable, std::string{"no record came in time"});
    message_ptr message{rd_kafka_consumer_poll(client_.get(), 100)};
    if (message == nullptr)
      continue;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      // Offsets that belong to no record, e.g. markers of transactions, may be the last ones.
      next_ = end_;
      break;
    }
    if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
      return caf::make_error(ec::invalid_config,
                             std::string{rd_kafka_message_errstr(message.get())});
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
      continue; // The library overcomes it, or the deadline ends this.
    next_ = message->offset + 1;
    if (message->offset >= end_)
      break;
    return std::optional<kafka_record>{read_record(*message)};
  }
  return std::optional<kafka_record>{};
}

} // namespace notify::kafka
