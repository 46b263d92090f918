#pragma once

#include "messages/kafka.hpp"
#include "persistence/ingest_store.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace notify {

/// How a part of a batch is worked on.
enum class handling {
  together,  ///< As one batch.
  alone,     ///< One record that may have killed a writer: nobody else works meanwhile.
  condemned, ///< One record that has killed too many: it is not looked into any more.
};

/// Consecutive records of one batch.
struct batch_part {
  std::span<const kafka_record> records;
  handling how = handling::together;
  uint32_t attempts = 0; ///< Deaths that the record is blamed for; 0 for `together`.
};

/// Finds the record that kills its writer, be it an actor or the whole process. What one life of an
/// inbox writer knows; a new life learns from the marks that the dead one left in the database.
///
/// Whatever killed the last life comes again soon: it was in the batch behind the last one that was
/// stored. So a new life marks its first batches of each partition, until `watched` records beyond
/// that point have gone by, and nothing after that: in normal operation a mark costs one small
/// transaction for each of the first batches of a process.
class suspect_watch {
public:
  /// `tries`: deaths before a record is condemned, at least 2. `watched`: the most records of one
  /// batch.
  suspect_watch(uint32_t tries, size_t watched) : tries_(tries), watched_(watched) {}

  /// Learns what earlier lives left about partitions that are new to this one.
  caf::error meet(ingest_store& storage, std::span<const kafka_record> records);

  /// Cuts a batch into parts, to be worked on one after the other. Never empty.
  std::vector<batch_part> cut(std::span<const kafka_record> records) const;

  /// The marks that must be durable before the work on this part begins.
  std::vector<ingest_mark> marks_before(const batch_part& x) const;

  /// The marks of earlier lives that end when this part is durable.
  std::vector<ingest_mark> marks_after(const batch_part& x) const;

  /// This part is durable.
  void passed(const batch_part& x);

private:
  struct watched_partition {
    int64_t stored_to = 0;
    size_t left = 0; ///< Records at or behind `stored_to` that are still marked.
    std::optional<ingest_mark> suspects;
    /// Offsets and timestamps. Such a record comes again while its batch fails for other reasons.
    std::set<std::pair<int64_t, int64_t>> condemned;

    /// Nothing at or behind this offset needs to be looked at one by one.
    bool is_quiet(int64_t first_offset) const {
      return !suspects && (condemned.empty() || condemned.rbegin()->first < first_offset);
    }
  };

  const watched_partition& at(const std::string& topic, int32_t partition) const;
  /// The part that is this record alone; nothing if there is no reason for that.
  std::optional<batch_part> single(const kafka_record& x) const;

  uint32_t tries_;
  size_t watched_;
  std::map<partition_key, watched_partition> partitions_;
};

/// A mark for each partition of these records.
std::vector<ingest_mark> marks_of(std::span<const kafka_record> records);

} // namespace notify
