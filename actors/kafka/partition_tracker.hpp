#pragma once

#include "actors/kafka/record_source.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace notify::kafka {

/// Knows which partitions are ours, under which epoch, which of them we paused, and how far each
/// is stored. Pure: it says what to pause and resume, the caller does it.
///
/// Two traps of librdkafka 2.0.2 make this necessary: a resume without a pause moves a partition
/// back to an old position, and a pause survives a rebalance. So every partition gets pause and
/// resume strictly in turn, a new one is paused at once while the gate is closed, and none is
/// paused any more when it is given up.
class partition_tracker {
public:
  using partitions = std::vector<topic_partition>;

  /// Takes a new assignment and returns what to pause right away. Partitions that were ours
  /// before are gone.
  partitions assign(const partitions& assigned);

  /// The group wants its partitions back; they accept no further records.
  void begin_revoke(bool lost);

  /// Gives up every partition and returns what to resume before that.
  partitions finish_revoke();

  /// Returns what to pause. Does nothing if the gate is closed already.
  partitions close_gate();

  /// Returns what to resume. Does nothing if the gate is open already.
  partitions open_gate();

  /// The client refused to pause this one, so it must not be resumed either.
  void forget_pause(const topic_partition& where);

  /// True if a record of this partition may be taken.
  bool accepts(const topic_partition& where) const;

  /// The running assignment's number, or 0 if the partition is not ours.
  uint64_t epoch(const topic_partition& where) const;

  /// Moves the mark up to which the partition is durable; never moves it back.
  store_verdict advance(const topic_partition& where, uint64_t epoch, int64_t next_offset);

  bool revoking() const { return revoking_; }
  bool gate_open() const { return gate_open_; }
  partitions assigned() const;

private:
  struct entry {
    uint64_t epoch = 0;
    bool paused = false;
    int64_t next_offset = -1; ///< Nothing stored yet if negative.
  };

  std::map<topic_partition, entry> entries_;
  uint64_t last_epoch_ = 0;
  bool gate_open_ = true;
  bool revoking_ = false;
  bool lost_ = false;
};

} // namespace notify::kafka
