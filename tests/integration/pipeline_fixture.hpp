#pragma once

#include "actors/kafka/producer.hpp"
#include "actors/service.hpp"
#include "tests/support/daemon.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tools/sample_events.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <memory>
#include <string>
#include <vector>

namespace notify::test {

/// A database, a topic and a consumer group of its own on the real servers, and the service either
/// in this process or as processes of its own.
class pipeline_fixture {
public:
  explicit pipeline_fixture(int32_t partitions = 2);

  /// On servers of one's own: Kafka's brokers and the URL of a superuser's database.
  pipeline_fixture(std::string brokers, const std::string& postgres, int32_t partitions = 2);

  /// Settings for the service in this process: e-mail goes to the log.
  service_config config() const;

  /// The same settings as arguments for `notifyd`, for one named instance.
  std::vector<std::string> arguments(const std::string& instance) const;

  /// Publishes and waits until the broker has everything.
  void publish(const std::vector<kafka::outgoing_record>& records);

  /// A fresh event, as a shop would publish it.
  static kafka::outgoing_record event(const sample::choices& choices = {});

  static std::vector<kafka::outgoing_record> events(size_t count);

  /// Waits until the query's single value is as wanted, and checks it.
  void require_value(const std::string& sql, const std::string& wanted);

  /// Sum of the offsets that the group has committed.
  int64_t committed_records();

  const std::string& brokers() const { return brokers_; }

  postgres_fixture db;
  std::string topic;
  std::string group;

private:
  std::string brokers_;
};

/// The service in this process, on real threads. Stopped in order at the end.
class running_pipeline {
public:
  explicit running_pipeline(const service_config& config);
  ~running_pipeline();

  service& operator*() { return *service_; }
  service* operator->() { return service_.get(); }
  caf::actor_system& system() { return system_; }

private:
  struct system_config : caf::actor_system_config {
    system_config();
  };

  system_config config_;
  caf::actor_system system_{config_};
  std::unique_ptr<service> service_;
};

} // namespace notify::test
