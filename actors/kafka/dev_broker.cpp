#include "actors/kafka/dev_broker.hpp"

#include "messages/error.hpp"

#include <chrono>

namespace notify::kafka {

caf::expected<std::unique_ptr<dev_broker>> dev_broker::start(const std::vector<topic_spec>& topics,
                                                             int brokers) {
  // The client is only the cluster's host: it never connects to anything.
  auto conf = make_conf({{"client.id", "dev-broker"}, {"log_level", "3"}});
  if (!conf)
    return std::move(conf.error());
  auto client = make_client(RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client)
    return std::move(client.error());
  std::unique_ptr<dev_broker> result{new dev_broker};
  result->client_ = std::move(*client);
  result->brokers_ = brokers;
  result->cluster_ = rd_kafka_mock_cluster_new(result->client_.get(), brokers);
  if (result->cluster_ == nullptr)
    return caf::make_error(ec::kafka_unavailable, "cannot start the development broker");
  result->bootstrap_ = rd_kafka_mock_cluster_bootstraps(result->cluster_);
  for (const auto& topic : topics)
    if (auto error = result->create_topic(topic.name, topic.partitions))
      return error;
  return result;
}

dev_broker::~dev_broker() {
  if (cluster_ != nullptr)
    rd_kafka_mock_cluster_destroy(cluster_);
}

caf::error dev_broker::create_topic(const std::string& name, int32_t partitions) {
  auto code = rd_kafka_mock_topic_create(cluster_, name.c_str(), partitions, brokers_);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
    return caf::none;
  return make_kafka_error(code, "create topic " + name);
}

void dev_broker::set_down(bool down) {
  for (int id = 1; id <= brokers_; ++id)
    if (down)
      rd_kafka_mock_broker_set_down(cluster_, id);
    else
      rd_kafka_mock_broker_set_up(cluster_, id);
}

void dev_broker::set_round_trip(caf::timespan time) {
  auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  for (int id = 1; id <= brokers_; ++id)
    rd_kafka_mock_broker_set_rtt(cluster_, id, static_cast<int>(millis));
}

void dev_broker::push_errors(int16_t api_key, const std::vector<rd_kafka_resp_err_t>& errors) {
  rd_kafka_mock_push_request_errors_array(cluster_, api_key, errors.size(), errors.data());
}

} // namespace notify::kafka
