#include "tests/ingest_outages/kafka_damage.hpp"

#include "actors/kafka/conf.hpp"

#include <catch2/catch.hpp>

#include <memory>

namespace notify::test {

namespace {

using namespace kafka;

constexpr int patience = 30'000;

client_ptr make_admin(const std::string& brokers) {
  auto conf = make_conf({{"bootstrap.servers", brokers}, {"client.id", "test"}});
  REQUIRE(conf);
  auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  REQUIRE(client);
  return std::move(*client);
}

void require_success(const queue_ptr& answers) {
  event_ptr event{rd_kafka_queue_poll(answers.get(), patience)};
  REQUIRE(event != nullptr);
  INFO(rd_kafka_event_error_string(event.get()));
  REQUIRE(rd_kafka_event_error(event.get()) == RD_KAFKA_RESP_ERR_NO_ERROR);
}

} // namespace

void delete_offsets(const std::string& brokers, const std::string& group, const std::string& topic,
                    int32_t partitions) {
  auto client = make_admin(brokers);
  partition_list_ptr list{rd_kafka_topic_partition_list_new(partitions)};
  for (int32_t i = 0; i < partitions; ++i)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i);
  std::unique_ptr<rd_kafka_DeleteConsumerGroupOffsets_t,
                  destroy_with<rd_kafka_DeleteConsumerGroupOffsets_destroy>>
      request{rd_kafka_DeleteConsumerGroupOffsets_new(group.c_str(), list.get())};
  auto* raw = request.get();
  queue_ptr answers{rd_kafka_queue_new(client.get())};
  rd_kafka_DeleteConsumerGroupOffsets(client.get(), &raw, 1, nullptr, answers.get());
  require_success(answers);
}

void delete_records(const std::string& brokers, const std::string& topic, int32_t partition,
                    int64_t before) {
  auto client = make_admin(brokers);
  partition_list_ptr list{rd_kafka_topic_partition_list_new(1)};
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = before;
  std::unique_ptr<rd_kafka_DeleteRecords_t, destroy_with<rd_kafka_DeleteRecords_destroy>> request{
      rd_kafka_DeleteRecords_new(list.get())};
  auto* raw = request.get();
  queue_ptr answers{rd_kafka_queue_new(client.get())};
  rd_kafka_DeleteRecords(client.get(), &raw, 1, nullptr, answers.get());
  require_success(answers);
}

} // namespace notify::test
