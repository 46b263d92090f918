#pragma once

#include "actors/kafka/conf.hpp"

#include <caf/error.hpp>
#include <caf/timespan.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace notify::kafka {

/// What of a partition can be read.
struct offset_range {
  int64_t first = 0; ///< The oldest record.
  int64_t end = 0;   ///< One past the newest one.
};

/// How the broker sees a group.
struct group_state {
  std::string state; ///< Kafka's word, e.g. `Stable` or `Empty`; empty: there is no such group.
  size_t members = 0;
};

/// The place of one consumer group, for people who move it. Never a member. Every call blocks,
/// about its timeout at most.
class group_offsets {
public:
  /// Does not wait for a broker. `connection`: see `connection_properties`.
  static caf::expected<group_offsets> open(const std::vector<std::string>& brokers,
                                           const std::string& group,
                                           const properties& connection = {});

  /// The group as it is now; it need not exist.
  caf::expected<group_state> describe(caf::timespan timeout);

  /// Every partition of the topic.
  caf::expected<std::map<int32_t, offset_range>> ranges(const std::string& topic,
                                                        caf::timespan timeout);

  /// The first record of each partition that is not older than this (milliseconds since 1970), or
  /// the partition's end.
  caf::expected<std::map<int32_t, int64_t>> at_time(const std::string& topic, int64_t time_ms,
                                                    caf::timespan timeout);

  /// Moves the group, forward or back. The broker refuses that while the group has members.
  caf::error move(const std::string& topic, const std::map<int32_t, int64_t>& offsets,
                  caf::timespan timeout);

private:
  explicit group_offsets(client_ptr client, std::string group)
      : client_(std::move(client)), group_(std::move(group)) {}

  client_ptr client_;
  std::string group_;
};

} // namespace notify::kafka
