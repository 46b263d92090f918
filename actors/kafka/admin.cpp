#include "actors/kafka/admin.hpp"

#include "messages/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>

namespace notify::kafka {

namespace {

using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

int to_millis(caf::timespan x) {
  return static_cast<int>(std::chrono::duration_cast<milliseconds>(x).count());
}

caf::expected<new_topic_ptr> to_new_topic(const topic_spec& x) {
  std::array<char, 512> reason{};
  new_topic_ptr result{
      rd_kafka_NewTopic_new(x.name.c_str(), x.partitions, -1, reason.data(), reason.size())};
  if (result == nullptr)
    return caf::make_error(ec::invalid_config, x.name, std::string{reason.data()});
  for (const auto& [name, value] : x.config)
    rd_kafka_NewTopic_set_config(result.get(), name.c_str(), value.c_str());
  return result;
}

/// Options of one admin request: the broker's and the client's share of the timeout.
admin_options_ptr make_options(rd_kafka_t* client, rd_kafka_admin_op_t operation,
                               caf::timespan timeout) {
  std::array<char, 512> reason{};
  admin_options_ptr result{rd_kafka_AdminOptions_new(client, operation)};
  rd_kafka_AdminOptions_set_request_timeout(result.get(), to_millis(timeout), reason.data(),
                                            reason.size());
  if (operation == RD_KAFKA_ADMIN_OP_CREATETOPICS)
    // The answer comes when the topics exist, not when the request is noted.
    rd_kafka_AdminOptions_set_operation_timeout(result.get(), to_millis(timeout), reason.data(),
                                                reason.size());
  return result;
}

caf::error request_error(const event_ptr& event, const std::string& call) {
  if (event == nullptr)
    return make_kafka_error(RD_KAFKA_RESP_ERR__TIMED_OUT, call);
  auto code = rd_kafka_event_error(event.get());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
    return caf::none;
  return caf::make_error(ec::kafka_unavailable, call,
                         std::string{rd_kafka_event_error_string(event.get())});
}

/// What the caller asked for is wrong, as opposed to a broker that cannot now.
bool is_callers_fault(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_INVALID_CONFIG || code == RD_KAFKA_RESP_ERR_INVALID_PARTITIONS
         || code == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION || code == RD_KAFKA_RESP_ERR_POLICY_VIOLATION
         || code == RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR;
}

caf::expected<std::vector<std::string>> created_topics(rd_kafka_event_t* event) {
  std::vector<std::string> created;
  size_t count = 0;
  const auto* answer = rd_kafka_event_CreateTopics_result(event);
  const auto* const* topics = rd_kafka_CreateTopics_result_topics(answer, &count);
  for (size_t i = 0; i < count; ++i) {
    std::string name = rd_kafka_topic_result_name(topics[i]);
    auto code = rd_kafka_topic_result_error(topics[i]);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
      created.push_back(std::move(name));
    } else if (code != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
      const auto* text = rd_kafka_topic_result_error_string(topics[i]);
      return caf::make_error(is_callers_fault(code) ? ec::invalid_config : ec::kafka_unavailable,
                             name, std::string{text != nullptr ? text : rd_kafka_err2str(code)});
    }
  }
  return created;
}

/// Empty if every partition of the topic can be written and read, else what is missing.
std::string missing_part(const rd_kafka_metadata_t& metadata, const std::string& topic) {
  const auto* begin = static_cast<const rd_kafka_metadata_topic_t*>(metadata.topics);
  const auto* end = begin + metadata.topic_cnt;
  const auto* found = std::find_if(begin, end, [&](const auto& x) { return x.topic == topic; });
  if (found == end || found->partition_cnt == 0)
    return "topic " + topic + " does not exist";
  auto* partitions_end = found->partitions + found->partition_cnt;
  auto ready = std::all_of(found->partitions, partitions_end, [](const auto& x) {
    return x.err == RD_KAFKA_RESP_ERR_NO_ERROR && x.leader >= 0;
  });
  return ready ? std::string{} : "topic " + topic + " has partitions without a leader";
}

/// Asks for all topics: naming one could create it on brokers that do so by themselves.
caf::expected<metadata_ptr> read_metadata(rd_kafka_t* client, int timeout) {
  const rd_kafka_metadata_t* metadata = nullptr;
  auto code = rd_kafka_metadata(client, 1, nullptr, &metadata, timeout);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return make_kafka_error(code, "no broker answers");
  return metadata_ptr{metadata};
}

/// What these topics still lack to be used.
caf::error missing_now(rd_kafka_t* client, const std::vector<std::string>& topics) {
  auto metadata = read_metadata(client, 1000);
  if (!metadata)
    return std::move(metadata.error());
  for (const auto& topic : topics)
    if (auto missing = missing_part(**metadata, topic); !missing.empty())
      return caf::make_error(ec::kafka_unavailable, missing);
  return caf::none;
}

bool exists(const rd_kafka_metadata_t& metadata, const std::string& topic) {
  const auto* begin = static_cast<const rd_kafka_metadata_topic_t*>(metadata.topics);
  return std::any_of(begin, begin + metadata.topic_cnt, [&](const auto& x) {
    return x.topic == topic && x.err == RD_KAFKA_RESP_ERR_NO_ERROR;
  });
}

std::vector<committed_offset> read_offsets(const rd_kafka_topic_partition_list_t& list) {
  std::vector<committed_offset> result;
  for (int i = 0; i < list.cnt; ++i) {
    const auto& x = list.elems[i];
    if (x.err == RD_KAFKA_RESP_ERR_NO_ERROR && x.offset >= 0)
      result.push_back({x.topic, x.partition, x.offset});
  }
  std::sort(result.begin(), result.end(), [](const auto& lhs, const auto& rhs) {
    return std::tie(lhs.topic, lhs.partition) < std::tie(rhs.topic, rhs.partition);
  });
  return result;
}

caf::expected<std::vector<committed_offset>>
list_offsets(rd_kafka_t* client, const std::string& group, caf::timespan timeout) {
  using request_ptr = std::unique_ptr<rd_kafka_ListConsumerGroupOffsets_t,
                                      destroy_with<rd_kafka_ListConsumerGroupOffsets_destroy>>;
  request_ptr request{rd_kafka_ListConsumerGroupOffsets_new(group.c_str(), nullptr)};
  auto* raw = request.get();
  auto options = make_options(client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, timeout);
  queue_ptr answers{rd_kafka_queue_new(client)};
  rd_kafka_ListConsumerGroupOffsets(client, &raw, 1, options.get(), answers.get());
  event_ptr event{rd_kafka_queue_poll(answers.get(), to_millis(timeout))};
  if (auto error = request_error(event, "list committed offsets"))
    return error;
  size_t count = 0;
  const auto* const* groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event.get()), &count);
  if (count != 1)
    return caf::make_error(ec::kafka_unavailable, "list committed offsets", "empty answer");
  if (const auto* error = rd_kafka_group_result_error(groups[0]); error != nullptr)
    return caf::make_error(ec::kafka_unavailable, group, std::string{rd_kafka_error_string(error)});
  const auto* list = rd_kafka_group_result_partitions(groups[0]);
  if (list == nullptr)
    return std::vector<committed_offset>{};
  return read_offsets(*list);
}

caf::expected<std::string> setting_in(rd_kafka_event_t* event, const std::string& name) {
  size_t count = 0;
  const auto* const* resources = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event), &count);
  for (size_t i = 0; i < count; ++i) {
    if (auto code = rd_kafka_ConfigResource_error(resources[i]); code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return make_kafka_error(code, "describe settings");
    size_t entries = 0;
    const auto* const* list = rd_kafka_ConfigResource_configs(resources[i], &entries);
    for (size_t k = 0; k < entries; ++k)
      if (rd_kafka_ConfigEntry_name(list[k]) == name)
        if (const auto* value = rd_kafka_ConfigEntry_value(list[k]); value != nullptr)
          return std::string{value};
  }
  return caf::make_error(ec::kafka_unavailable, "the broker did not tell " + name);
}

} // namespace

caf::expected<admin> admin::create(const std::vector<std::string>& brokers,
                                   const std::string& client_id, const properties& more) {
  properties values{{"client.id", client_id}, {"bootstrap.servers", join_brokers(brokers)}};
  for (const auto& [name, value] : more)
    values.insert_or_assign(name, value);
  auto client = open_client(RD_KAFKA_PRODUCER, values);
  if (!client)
    return std::move(client.error());
  return admin{std::move(*client), std::move(values)};
}

caf::expected<std::vector<std::string>> admin::create_missing(const std::vector<topic_spec>& topics,
                                                              caf::timespan timeout) {
  // Only the missing ones are asked for: who may use a topic may not always create it.
  auto metadata = read_metadata(client_.get(), to_millis(timeout));
  if (!metadata)
    return std::move(metadata.error());
  std::vector<new_topic_ptr> owned;
  std::vector<rd_kafka_NewTopic_t*> list;
  for (const auto& x : topics) {
    if (exists(**metadata, x.name))
      continue;
    auto topic = to_new_topic(x);
    if (!topic)
      return std::move(topic.error());
    list.push_back(topic->get());
    owned.push_back(std::move(*topic));
  }
  if (list.empty())
    return std::vector<std::string>{};
  auto options = make_options(client_.get(), RD_KAFKA_ADMIN_OP_CREATETOPICS, timeout);
  queue_ptr answers{rd_kafka_queue_new(client_.get())};
  rd_kafka_CreateTopics(client_.get(), list.data(), list.size(), options.get(), answers.get());
  event_ptr event{rd_kafka_queue_poll(answers.get(), to_millis(timeout))};
  if (auto error = request_error(event, "create topics"))
    return error;
  return created_topics(event.get());
}

caf::error admin::wait_for(const std::vector<std::string>& topics, caf::timespan timeout) {
  auto deadline = clock_type::now() + timeout;
  for (;;) {
    // The last question gets its full time too, else its answer would always be "no broker".
    auto missing = missing_now(client_.get(), topics);
    if (!missing || clock_type::now() >= deadline)
      return missing;
    rd_kafka_poll(client_.get(), 100); // Serves callbacks and is the pause between two questions.
  }
}

caf::expected<std::map<std::string, int32_t>> admin::topics(caf::timespan timeout) {
  auto metadata = read_metadata(client_.get(), to_millis(timeout));
  if (!metadata)
    return std::move(metadata.error());
  std::map<std::string, int32_t> result;
  for (int i = 0; i < (*metadata)->topic_cnt; ++i)
    if (const auto& x = (*metadata)->topics[i]; x.err == RD_KAFKA_RESP_ERR_NO_ERROR)
      result.emplace(x.topic, x.partition_cnt);
  return result;
}

caf::expected<std::string> admin::topic_setting(const std::string& topic, const std::string& name,
                                                caf::timespan timeout) {
  using resource_ptr =
      std::unique_ptr<rd_kafka_ConfigResource_t, destroy_with<rd_kafka_ConfigResource_destroy>>;
  resource_ptr resource{rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str())};
  auto* raw = resource.get();
  auto options = make_options(client_.get(), RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout);
  queue_ptr answers{rd_kafka_queue_new(client_.get())};
  rd_kafka_DescribeConfigs(client_.get(), &raw, 1, options.get(), answers.get());
  event_ptr event{rd_kafka_queue_poll(answers.get(), to_millis(timeout))};
  if (auto error = request_error(event, "describe settings of " + topic))
    return error;
  return setting_in(event.get(), name);
}

caf::expected<std::vector<committed_offset>> admin::committed(const std::string& group,
                                                              caf::timespan timeout) {
  // A consumer of that very group, though it never joins: with any other client librdkafka 2.0.2
  // follows a null pointer when the coordinator is loading or has moved.
  auto values = settings_;
  values["group.id"] = group;
  auto client = open_client(RD_KAFKA_CONSUMER, values);
  if (!client)
    return std::move(client.error());
  auto deadline = clock_type::now() + timeout;
  for (;;) {
    auto result = list_offsets(client->get(), group, timeout);
    if (result || clock_type::now() >= deadline)
      return result;
    rd_kafka_poll(client->get(), 100); // Serves callbacks and is the pause between two questions.
  }
}

} // namespace notify::kafka
