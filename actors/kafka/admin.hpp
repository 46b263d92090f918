#pragma once

#include "actors/kafka/conf.hpp"

#include <caf/error.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace notify::kafka {

/// A topic to be.
struct topic_spec {
  std::string name;
  int32_t partitions = 1;
  properties config; ///< Topic settings by Kafka's names, e.g. `max.message.bytes`.
};

/// How far a consumer group came: the offset of the next record that it would read.
struct committed_offset {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
};

/// What an operator does with a cluster. Every call blocks, about its timeout at most.
class admin {
public:
  /// Does not wait for a broker. `more` are further librdkafka properties.
  static caf::expected<admin> create(const std::vector<std::string>& brokers,
                                     const std::string& client_id, const properties& more = {});

  /// Creates the topics that do not exist, with the broker's default replication, and returns their
  /// names. Existing ones stay as they are. `ec::invalid_config` if a name or setting is refused.
  caf::expected<std::vector<std::string>> create_missing(const std::vector<topic_spec>& topics,
                                                         caf::timespan timeout);

  /// Waits until a broker answers and every partition of these topics has a leader; no topics: only
  /// until a broker answers. `ec::kafka_unavailable` says what was missing at the end.
  caf::error wait_for(const std::vector<std::string>& topics, caf::timespan timeout);

  /// Every topic that can be used, with the number of its partitions.
  caf::expected<std::map<std::string, int32_t>> topics(caf::timespan timeout);

  /// A setting of a topic as it is in effect, by Kafka's name, e.g. `max.message.bytes`.
  caf::expected<std::string> topic_setting(const std::string& topic, const std::string& name,
                                           caf::timespan timeout);

  /// The offsets that the group has committed, partitions without one left out.
  caf::expected<std::vector<committed_offset>> committed(const std::string& group,
                                                         caf::timespan timeout);

private:
  admin(client_ptr client, properties settings)
      : client_(std::move(client)), settings_(std::move(settings)) {}

  client_ptr client_;
  properties settings_;
};

} // namespace notify::kafka
