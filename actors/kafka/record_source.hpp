#pragma once

#include "messages/kafka.hpp"

#include <caf/error.hpp>
#include <caf/timespan.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace notify::kafka {

/// Names one partition of a topic.
struct topic_partition {
  std::string topic;
  int32_t partition = 0;

  auto operator<=>(const topic_partition&) const = default;
};

/// `topic/partition`, for logs.
std::string to_string(const topic_partition& x);

/// These partitions are ours from now on.
struct partitions_assigned {
  std::vector<topic_partition> partitions;
};

/// The group wants these partitions back. They stay ours until `record_source::finish_revoke`,
/// so that work in flight can be finished and committed; they bring no further records.
struct partitions_revoking {
  std::vector<topic_partition> partitions;
  bool lost = false; ///< Someone else may own them already: nothing can be committed any more.
};

/// All records of the partition up to `next_offset` were handed out.
struct partition_end {
  topic_partition where;
  int64_t next_offset = 0;
};

/// The partition brings nothing more until an operator decides.
struct partition_stalled {
  topic_partition where;
  std::string reason;
};

/// What became of an offset commit. A failed commit never undoes anything and never stops
/// ingestion: the cost is that records are read twice.
enum class commit_verdict : uint8_t {
  committed,
  nothing, ///< No offset was stored since the last one.
  retry,   ///< Try again at the next tick.
  denied,  ///< Missing rights: try again, but slowly, and alarm.
  lost,    ///< The assignment is gone; its next owner reads the records again.
};

struct commit_finished {
  commit_verdict verdict = commit_verdict::committed;
  std::string reason; ///< Empty if all is well.
};

/// Something went wrong that the client overcomes by itself.
struct source_trouble {
  std::string reason;
};

/// The client gave up for good.
struct source_failed {
  caf::error reason;
};

/// Distance to the end of each partition of ours that is known, in records.
struct lag_measured {
  std::map<topic_partition, int64_t> records;
};

/// What one poll brought; `std::monostate` if there was nothing in time.
using source_event = std::variant<std::monostate, kafka_record, partitions_assigned,
                                  partitions_revoking, partition_end, partition_stalled,
                                  commit_finished, source_trouble, source_failed, lag_measured>;

/// What storing an offset did.
enum class store_verdict : uint8_t {
  stored, ///< It leaves with the next commit.
  behind, ///< A later one was stored before; nothing changed.
  stale,  ///< The partition was given up since: the result does not count.
  failed, ///< The client refused it.
};

/// Where a consumer gets its records from. Not thread-safe; every call returns within a bounded
/// time.
class record_source {
public:
  virtual ~record_source() = default;

  /// Joins the group.
  virtual caf::error join() = 0;

  /// Waits up to `timeout` for one event. Must be called often, also while the gate is closed, or
  /// the group expels us.
  virtual source_event poll(caf::timespan timeout) = 0;

  /// Stops or resumes fetching of all partitions, now and in later assignments. The gate is open
  /// at first. Each change throws away what was fetched ahead, so change it rarely.
  virtual void set_gate(bool open) = 0;

  /// Counts the assignments of a partition: results under another epoch are stale. 0 if the
  /// partition is not ours.
  virtual uint64_t epoch(const topic_partition& where) const = 0;

  /// Everything before `next_offset` is durable; the next commit may say so.
  virtual store_verdict store_offset(const topic_partition& where, uint64_t epoch,
                                     int64_t next_offset) = 0;

  /// Commits what was stored, without waiting; the answer arrives as `commit_finished`. False if
  /// one is under way already.
  virtual bool commit() = 0;

  /// Gives up the partitions of the last `partitions_revoking`.
  virtual void finish_revoke() = 0;

  /// Leaves the group, without waiting: go on with `poll` until `closed`.
  virtual void begin_close() = 0;

  virtual bool closed() const = 0;
};

} // namespace notify::kafka
