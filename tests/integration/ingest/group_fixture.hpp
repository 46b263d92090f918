#pragma once

#include "actors/consumer.hpp"
#include "actors/inbox_writer.hpp"
#include "actors/kafka/producer.hpp"
#include "messages/error.hpp"
#include "tests/integration/ingest/recording_store.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace notify::test {

/// A topic and a consumer group of their own on some brokers, and a store that every member of the
/// group writes to.
class group_fixture {
public:
  explicit group_fixture(std::string brokers, int32_t partitions = 4, bool create = true);

  /// Fast settings for a member that begins with the oldest record.
  consumer_config config() const;

  /// Publishes the events with numbers [first, first + count) and waits for the broker.
  void produce(uint64_t first, uint64_t count);

  void produce(kafka::outgoing_record record);

  /// What the group has committed, by partition.
  std::map<int32_t, int64_t> committed();

  int64_t committed_records();

  std::string brokers;
  std::string topic;
  std::string group;
  std::shared_ptr<recording_store> store = std::make_shared<recording_store>();

private:
  void flush();

  std::unique_ptr<kafka::producer> producer_;
  uint64_t acknowledged_ = 0;
  uint64_t sent_ = 0;
};

/// The settings as a process has them: with a name for its life, unless it has one.
consumer_config with_life(consumer_config config);

/// One process's part: a consumer and two writers on real threads. Stopped at the end, if the test
/// did not stop it.
class group_member {
public:
  explicit group_member(group_fixture& group) : group_member(group, group.config()) {}
  group_member(group_fixture& group, const consumer_config& config);

  /// With a store of its own for each writer, and another source than the group's Kafka if there is
  /// one.
  group_member(const consumer_config& config, const std::function<ingest_store_ptr()>& make_store,
               record_source_factory source = {});

  ~group_member();

  actor_status status();

  /// Waits until the member has this many partitions.
  bool owns(int64_t partitions);

  bool reaches(const std::string& state);

  /// Shuts the consumer down and returns how long that took.
  caf::timespan stop();

  /// Waits for the consumer's own end and returns its reason.
  caf::error wait_for_end();

private:
  struct system_config : caf::actor_system_config {
    system_config();
  };

  system_config config_;
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  std::shared_ptr<std::vector<inbox_writer_actor>> writers_ =
      std::make_shared<std::vector<inbox_writer_actor>>();
  consumer_actor consumer_;
  bool ended_ = false;
};

} // namespace notify::test
