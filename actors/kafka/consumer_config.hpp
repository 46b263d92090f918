#pragma once

#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace notify {

/// A member of a consumer group: where it reads, how it starts, and what it holds at most.
struct consumer_config {
  std::vector<std::string> brokers = {"127.0.0.1:9092"};
  std::vector<std::string> topics = {"orders.events.v1"};
  std::string group = "notification-service-v1";
  std::string client_id = "notifyd";
  /// `group.instance.id` of a static member, which keeps its partitions over a restart.
  std::string instance_id;
  /// `group.instance.id` of any other: the name of one life of this process, which leaves the group
  /// at its end. With it the broker knows a member that lost its session during an outage; without
  /// it, the member is a stranger and waits until the broker has given up the one it knew.
  std::string life;
  /// What to do if the place where the group stands is gone, be it lost or out of range: `error`,
  /// `earliest` or `latest`. Anything but `error` leaves `first_start` nothing to decide.
  std::string offset_reset = "error";
  /// Where a partition begins that nobody has read before: `error`, `earliest` or `latest`.
  std::string first_start = "error";
  /// Partitions that records were stored of, whatever the group says: an offset that is missing for
  /// one of these was lost, and no first start.
  std::set<std::pair<std::string, int32_t>> read_before;
  std::map<std::string, std::string> properties; ///< Further librdkafka properties, checked.
  caf::timespan session_timeout = std::chrono::seconds{30};
  caf::timespan max_poll_interval = std::chrono::seconds{90};
  caf::timespan commit_interval = std::chrono::milliseconds{500};
  caf::timespan store_timeout = std::chrono::seconds{60}; ///< For one batch, before it is retried.
  caf::timespan drain_timeout = std::chrono::seconds{2};  ///< For work in flight at a revoke.
  caf::timespan close_timeout = std::chrono::seconds{10};
  size_t batch_records = 1000;      ///< Most records of one ingest transaction.
  size_t buffer_records = 10000;    ///< Above this the partitions are paused,
  size_t buffer_bytes = 64u << 20u; ///< or above this.
};

} // namespace notify
