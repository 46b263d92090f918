#include "tests/kafka/topic_reader.hpp"

#include "actors/kafka/conf.hpp"
#include "messages/uuid.hpp"

#include <catch2/catch.hpp>

#include <chrono>

namespace notify::test {

namespace {

using namespace kafka;

client_ptr make_consumer(const std::string& brokers, const std::string& group) {
  auto conf = make_conf({{"bootstrap.servers", brokers},
                         {"group.id", group},
                         {"auto.offset.reset", "earliest"},
                         {"enable.auto.commit", "false"}});
  REQUIRE(conf);
  auto client = make_client(RD_KAFKA_CONSUMER, std::move(*conf));
  REQUIRE(client);
  return std::move(*client);
}

nullable_bytes to_bytes(const void* data, size_t size) {
  if (data == nullptr)
    return {};
  return {true, std::string{static_cast<const char*>(data), size}};
}

std::vector<record_header> read_headers(const rd_kafka_message_t* message) {
  std::vector<record_header> result;
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return result;
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  for (size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
    result.push_back({name, to_bytes(value, size)});
  return result;
}

kafka_record to_record(const rd_kafka_message_t* x) {
  rd_kafka_timestamp_type_t type{};
  return {rd_kafka_topic_name(x->rkt),
          x->partition,
          x->offset,
          rd_kafka_message_timestamp(x, &type),
          to_bytes(x->key, x->key_len),
          to_bytes(x->payload, x->len),
          read_headers(x)};
}

} // namespace

std::vector<kafka_record> read_topic(const std::string& brokers, const std::string& topic,
                                     size_t count) {
  auto consumer = make_consumer(brokers, unique_name("reader"));
  rd_kafka_poll_set_consumer(consumer.get());
  partition_list_ptr topics{rd_kafka_topic_partition_list_new(1)};
  rd_kafka_topic_partition_list_add(topics.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
  REQUIRE(rd_kafka_subscribe(consumer.get(), topics.get()) == RD_KAFKA_RESP_ERR_NO_ERROR);
  std::vector<kafka_record> result;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (result.size() < count && std::chrono::steady_clock::now() < deadline) {
    message_ptr message{rd_kafka_consumer_poll(consumer.get(), 500)};
    if (message != nullptr && message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
      result.push_back(to_record(message.get()));
  }
  rd_kafka_consumer_close(consumer.get());
  return result;
}

void commit_offsets(const std::string& brokers, const std::string& group, const std::string& topic,
                    const std::vector<int64_t>& offsets) {
  auto consumer = make_consumer(brokers, group);
  partition_list_ptr list{rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size()))};
  for (size_t i = 0; i < offsets.size(); ++i)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), static_cast<int32_t>(i))->offset =
        offsets[i];
  REQUIRE(rd_kafka_commit(consumer.get(), list.get(), 0) == RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_consumer_close(consumer.get());
}

std::string unique_name(const std::string& prefix) {
  return prefix + "-" + to_string(uuid::random());
}

} // namespace notify::test
