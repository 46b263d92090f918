#pragma once

#include "actors/kafka/conf.hpp"
#include "messages/kafka.hpp"

#include <caf/expected.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notify::kafka {

/// Reads a part of one partition without being a member of any group: it moves nobody's offsets.
/// Blocks.
class range_reader {
public:
  /// From `first` up to, but without, `end`. `connection`: see `connection_properties`.
  static caf::expected<range_reader> open(const std::vector<std::string>& brokers,
                                          const std::string& topic, int32_t partition,
                                          int64_t first, int64_t end,
                                          const properties& connection = {});

  /// The next record; nothing at the range's end. `ec::kafka_unavailable` if none came in time.
  caf::expected<std::optional<kafka_record>> next(caf::timespan timeout);

private:
  range_reader(client_ptr client, int64_t next, int64_t end)
      : client_(std::move(client)), next_(next), end_(end) {}

  client_ptr client_;
  int64_t next_;
  int64_t end_;
};

} // namespace notify::kafka
