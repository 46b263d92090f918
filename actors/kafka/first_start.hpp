#pragma once

#include "actors/kafka/consumer_config.hpp"
#include "actors/kafka/handles.hpp"
#include "actors/kafka/record_source.hpp"

#include <caf/error.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace notify::kafka {

/// Where partitions begin for which the group has no committed offset (`kafka.first-start`).
///
/// The place is decided before a partition is assigned. librdkafka 2.0.2 would also tell of the
/// missing offset afterwards, but then a partition can only be assigned anew together with all
/// others, and two such assignments within a moment stop one partition twice, which ends the
/// process (`rktp_started`, librdkafka's issue 5573).
class first_start {
public:
  explicit first_start(const consumer_config& config)
      : rule_(config.first_start), read_before_(config.read_before) {}

  /// Gives those of `assigned` that begin for the first time their place; others are left as they
  /// are. Asks the group's coordinator and waits for its answer, some seconds at most. The error
  /// tells why it did not answer; then no place was given.
  caf::error place(rd_kafka_t* client, rd_kafka_topic_partition_list_t& assigned) const;

  /// True if the rule gives such a partition a place.
  bool applies_to(const topic_partition& where) const;

  /// Why a partition whose offset is missing, or is beyond its records, must wait for a person.
  /// `wanted` is that offset; negative: there is none.
  std::string stall_reason(const topic_partition& where, int64_t wanted) const;

  /// Remembers how far it is stored, in case that the commit of it gets lost.
  void stored(const topic_partition& where, int64_t next_offset) { stored_[where] = next_offset; }

private:
  bool was_read(const topic_partition& where) const;
  int64_t begin_of(const topic_partition& where) const;

  std::string rule_;
  std::set<std::pair<std::string, int32_t>> read_before_; ///< In earlier lives of the service.
  std::map<topic_partition, int64_t> stored_;
};

} // namespace notify::kafka
