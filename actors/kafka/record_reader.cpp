#include "actors/kafka/record_reader.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace notify::kafka {

namespace {

nullable_bytes copy_bytes(const void* data, size_t size) {
  if (data == nullptr)
    return {};
  return {true, std::string(static_cast<const char*>(data), size)};
}

std::vector<record_header> read_headers(const rd_kafka_message_t& message) {
  std::vector<record_header> result;
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return result;
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  for (size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
    result.push_back({name, copy_bytes(value, size)});
  return result;
}

const boost::json::object* member_object(const boost::json::object& x, std::string_view name) {
  const auto* member = x.if_contains(name);
  return member == nullptr ? nullptr : member->if_object();
}

void add_lag(std::map<topic_partition, int64_t>& result, const std::string& topic,
             const boost::json::object& partition) {
  const auto* id = partition.if_contains("partition");
  const auto* lag = partition.if_contains("consumer_lag_stored");
  // -1 stands for unknown, also as the partition id of messages that have none yet.
  if (id == nullptr || lag == nullptr || !id->is_int64() || !lag->is_int64() || id->get_int64() < 0
      || lag->get_int64() < 0)
    return;
  result[{topic, static_cast<int32_t>(id->get_int64())}] = lag->get_int64();
}

} // namespace

kafka_record read_record(const rd_kafka_message_t& message) {
  kafka_record result;
  result.topic = rd_kafka_topic_name(message.rkt);
  result.partition = message.partition;
  result.offset = message.offset;
  result.timestamp_ms = rd_kafka_message_timestamp(&message, nullptr);
  result.key = copy_bytes(message.key, message.key_len);
  result.value = copy_bytes(message.payload, message.len);
  result.headers = read_headers(message);
  return result;
}

commit_verdict classify_commit(rd_kafka_resp_err_t code) {
  switch (code) {
  case RD_KAFKA_RESP_ERR_NO_ERROR:
    return commit_verdict::committed;
  case RD_KAFKA_RESP_ERR__NO_OFFSET:
    return commit_verdict::nothing;
  case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION:
  case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
  case RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST:
    return commit_verdict::lost;
  case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    return commit_verdict::denied;
  default:
    return commit_verdict::retry;
  }
}

std::map<topic_partition, int64_t> read_lag(std::string_view statistics) {
  std::map<topic_partition, int64_t> result;
  boost::json::error_code failed;
  auto root =
      boost::json::parse(boost::json::string_view{statistics.data(), statistics.size()}, failed);
  const auto* object = failed ? nullptr : root.if_object();
  const auto* topics = object == nullptr ? nullptr : member_object(*object, "topics");
  if (topics == nullptr)
    return result;
  for (const auto& topic : *topics) {
    const auto* fields = topic.value().if_object();
    const auto* partitions = fields == nullptr ? nullptr : member_object(*fields, "partitions");
    if (partitions == nullptr)
      continue;
    for (const auto& partition : *partitions)
      if (const auto* x = partition.value().if_object())
        add_lag(result, std::string{topic.key()}, *x);
  }
  return result;
}

} // namespace notify::kafka
