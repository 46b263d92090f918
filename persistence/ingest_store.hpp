#pragma once

#include "messages/events.hpp"

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace notify {

/// How far one partition moved with a batch; kept for audits and alarms, never for seeking.
struct ledger_move {
  std::string topic;
  int32_t partition = 0;
  int64_t first_offset = 0;
  int64_t next_offset = 0; ///< One past the last record of the batch.
  uint64_t records = 0;
};

/// What a replay found out about a stored dead letter.
struct replayed_letter {
  int64_t id = 0;
  bool accepted = false;        ///< Its event is part of the batch, or was stored before.
  std::string reason;           ///< If not accepted: why not, by today's rules.
  std::string detail;           ///< The same for people.
  std::optional<uuid> event_id; ///< If it can be told.
};

/// Topic and number.
using partition_key = std::pair<std::string, int32_t>;

/// Records of one partition that a writer is about to work on. It is stored before the work and
/// goes away with it, so one that is found without the writer that left it tells of a death over
/// these records.
struct ingest_mark {
  std::string topic;
  int32_t partition = 0;
  int64_t first_offset = 0;
  int64_t next_offset = 0;
  uint32_t attempts = 1;              ///< The work that it belongs to included.
  std::optional<int64_t> holder = {}; ///< Of one that was found: whose it is. Else: one's own.
};

/// What earlier writers left about a partition.
struct partition_history {
  partition_key where;
  int64_t stored_to = 0; ///< The ledger's next offset; 0 if nothing was stored yet.
  /// Of writers that died; one that lives, wherever, is blamed for nothing.
  std::optional<ingest_mark> mark;
  /// Offset and timestamp of records that were dead-lettered because writers died over them.
  std::vector<std::pair<int64_t, int64_t>> condemned;
};

/// What became of the dead letters of a replay. Those that another replay had settled count
/// nowhere.
struct replay_counts {
  uint64_t stored = 0;     ///< Their events are in the inbox now.
  uint64_t duplicates = 0; ///< Their events came into the inbox from other records.
  uint64_t refused = 0;    ///< Still dead letters.
};

/// What was new.
struct ingest_report {
  uint64_t events = 0;
  uint64_t duplicates = 0; ///< Events of the batch whose id was stored before.
  uint64_t jobs = 0;
  uint64_t dead_letters = 0;
  replay_counts replayed = {};
};

/// What one ingest transaction makes durable. Event ids and job ids are unique within it.
struct ingest_batch {
  std::vector<event> events;
  std::vector<new_job> jobs;
  std::vector<dead_letter> dead_letters;
  std::vector<ledger_move> moves;
  std::vector<ingest_mark> finished;     ///< Marks that go away with it.
  std::vector<replayed_letter> replayed; ///< By id, each once.
  uint64_t repeated = 0;                 ///< Records whose event is part of it already.
  ingest_report earlier; ///< What transactions before this one stored of the same records.
};

/// Stores inbox rows, jobs, queue rows, dead letters and the ledger in one transaction. Blocks.
class ingest_store {
public:
  virtual ~ingest_store() = default;

  /// Either everything is durable when this returns, or nothing is known to be: after an error
  /// the same batch may be stored again, because event ids and job ids are its keys.
  virtual caf::expected<ingest_report> store(const ingest_batch& batch) = 0;

  /// What is known about these partitions. A store that outlives nobody knows nothing.
  virtual caf::expected<std::vector<partition_history>>
  look_up(const std::vector<partition_key>& partitions) {
    static_cast<void>(partitions);
    return std::vector<partition_history>{};
  }

  /// Makes the marks durable, in a transaction of their own. A partition has one at most: the later
  /// one replaces the earlier.
  virtual caf::error mark(const std::vector<ingest_mark>& marks) {
    static_cast<void>(marks);
    return {};
  }

  /// To be called while the writer dies of an exception: its marks count from now on, even if its
  /// connection lives for a moment longer.
  virtual void abandon_marks() {}
};

using ingest_store_ptr = std::shared_ptr<ingest_store>;

} // namespace notify
