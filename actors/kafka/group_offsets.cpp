#include "actors/kafka/group_offsets.hpp"

#include "messages/error.hpp"

#include <chrono>
#include <memory>

namespace notify::kafka {

namespace {

int to_millis(caf::timespan x) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(x).count());
}

using group_list_ptr =
    std::unique_ptr<const rd_kafka_group_list, destroy_with<rd_kafka_group_list_destroy>>;

partition_list_ptr make_list(const std::string& topic, const std::map<int32_t, int64_t>& offsets) {
  partition_list_ptr result{rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size()))};
  for (const auto& [partition, offset] : offsets)
    rd_kafka_topic_partition_list_add(result.get(), topic.c_str(), partition)->offset = offset;
  return result;
}

caf::expected<int32_t> count_partitions(rd_kafka_t* client, const std::string& name, int timeout) {
  topic_ptr topic{rd_kafka_topic_new(client, name.c_str(), nullptr)};
  if (topic == nullptr)
    return make_kafka_error(rd_kafka_last_error(), "topic " + name);
  const rd_kafka_metadata_t* raw = nullptr;
  auto code = rd_kafka_metadata(client, 0, topic.get(), &raw, timeout);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "no broker answers");
  metadata_ptr metadata{raw};
  if (metadata->topic_cnt != 1 || metadata->topics[0].partition_cnt == 0)
    return caf::make_error(ec::invalid_config, "topic " + name + " does not exist");
  return metadata->topics[0].partition_cnt;
}

} // namespace

caf::expected<group_offsets> group_offsets::open(const std::vector<std::string>& brokers,
                                                 const std::string& group,
                                                 const properties& connection) {
  // A consumer of that very group that never joins: only such a client may ask its coordinator
  // without risk in librdkafka 2.0.2.
  auto client = open_client(RD_KAFKA_CONSUMER, guest_properties(brokers, group, connection));
  if (!client)
    return std::move(client.error());
  return group_offsets{std::move(*client), group};
}

caf::expected<group_state> group_offsets::describe(caf::timespan timeout) {
  const rd_kafka_group_list* raw = nullptr;
  auto code = rd_kafka_list_groups(client_.get(), group_.c_str(), &raw, to_millis(timeout));
  group_list_ptr groups{raw};
  // An incomplete answer could hide the members.
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "list members of " + group_);
  group_state result;
  for (int i = 0; i < groups->group_cnt; ++i) {
    const auto& x = groups->groups[i];
    if (x.group != group_)
      continue;
    if (x.state != nullptr)
      result.state = x.state;
    result.members += static_cast<size_t>(x.member_cnt);
  }
  return result;
}

caf::expected<std::map<int32_t, offset_range>> group_offsets::ranges(const std::string& topic,
                                                                     caf::timespan timeout) {
  auto count = count_partitions(client_.get(), topic, to_millis(timeout));
  if (!count)
    return std::move(count.error());
  std::map<int32_t, offset_range> result;
  for (int32_t id = 0; id < *count; ++id) {
    auto& range = result[id];
    auto code = rd_kafka_query_watermark_offsets(client_.get(), topic.c_str(), id, &range.first,
                                                 &range.end, to_millis(timeout));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return make_kafka_error(code, "offsets of " + topic + "/" + std::to_string(id));
  }
  return result;
}

caf::expected<std::map<int32_t, int64_t>>
group_offsets::at_time(const std::string& topic, int64_t time_ms, caf::timespan timeout) {
  auto known = ranges(topic, timeout);
  if (!known)
    return std::move(known.error());
  std::map<int32_t, int64_t> result;
  for (const auto& [partition, range] : *known)
    result[partition] = time_ms;
  auto list = make_list(topic, result);
  auto code = rd_kafka_offsets_for_times(client_.get(), list.get(), to_millis(timeout));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "offsets by time of " + topic);
  for (int i = 0; i < list->cnt; ++i) {
    const auto& x = list->elems[i];
    if (x.err != RD_KAFKA_RESP_ERR_NO_ERROR)
      return make_kafka_error(x.err, "offsets by time of " + topic);
    // Nothing that new: the answer is -1, whose meaning is the end.
    result[x.partition] = x.offset >= 0 ? x.offset : known->at(x.partition).end;
  }
  return result;
}

caf::error group_offsets::move(const std::string& topic, const std::map<int32_t, int64_t>& offsets,
                               caf::timespan timeout) {
  auto list = make_list(topic, offsets);
  queue_ptr answers{rd_kafka_queue_new(client_.get())};
  auto code = rd_kafka_commit_queue(client_.get(), list.get(), answers.get(), nullptr, nullptr);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "move " + group_);
  event_ptr event{rd_kafka_queue_poll(answers.get(), to_millis(timeout))};
  if (event == nullptr)
    return make_kafka_error(RD_KAFKA_RESP_ERR__TIMED_OUT, "move " + group_);
  code = rd_kafka_event_error(event.get());
  const auto* moved = rd_kafka_event_topic_partition_list(event.get());
  for (int i = 0; moved != nullptr && i < moved->cnt && code == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
    code = moved->elems[i].err;
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "move " + group_);
  return caf::none;
}

} // namespace notify::kafka
