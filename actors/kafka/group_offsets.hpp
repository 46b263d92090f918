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

/// The place of one consumer group, for people who move it. Never a member. Every call blocks,
/// about its timeout at most.
class group_offsets {
public:
  /// Does not wait for a broker.
  static caf::expected<group_offsets> open(const std::vector<std::string>& brokers,
                                           const std::string& group);

  /// How many members the group has now; 0 also for one that does not exist.
  caf::expected<size_t> members(caf::timespan timeout);

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
