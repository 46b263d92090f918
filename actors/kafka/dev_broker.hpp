#pragma once

#include "actors/kafka/admin.hpp"

#include <librdkafka/rdkafka_mock.h>

#include <caf/timespan.hpp>

#include <memory>
#include <string>
#include <vector>

namespace notify::kafka {

/// A Kafka cluster inside this process that other processes can reach on loopback: librdkafka's
/// mock. For a first look and for faults that a real broker does not give on demand. It keeps
/// everything in memory, at most 5 MiB or 100,000 batches per partition, then drops the oldest
/// silently; it knows no admin requests, no retention and no static membership.
class dev_broker {
public:
  /// Starts the cluster with these topics on ports of its own choice; their settings are ignored.
  static caf::expected<std::unique_ptr<dev_broker>> start(const std::vector<topic_spec>& topics,
                                                          int brokers = 1);

  dev_broker(const dev_broker&) = delete;
  dev_broker& operator=(const dev_broker&) = delete;
  ~dev_broker();

  /// The brokers' addresses as clients want them: `host:port[,host:port...]`.
  const std::string& bootstrap() const { return bootstrap_; }

  caf::error create_topic(const std::string& name, int32_t partitions);

  /// All brokers close their connections and refuse new ones, or take them again.
  void set_down(bool down);

  /// Answers come this much later.
  void set_round_trip(caf::timespan time);

  /// The next requests of this kind (Kafka's api key number) are answered with these errors.
  void push_errors(int16_t api_key, const std::vector<rd_kafka_resp_err_t>& errors);

private:
  dev_broker() = default;

  client_ptr client_;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
  std::string bootstrap_;
  int brokers_ = 0;
};

} // namespace notify::kafka
