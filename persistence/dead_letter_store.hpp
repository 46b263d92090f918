#pragma once

#include "messages/kafka.hpp"
#include "messages/uuid.hpp"

#include <caf/expected.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace notify {

/// What is known about a dead letter, without its bytes. Times are microseconds since 1970, UTC.
struct letter_info {
  int64_t id = 0;
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  int64_t timestamp_ms = -1; ///< The record's own; -1 if unknown.
  std::string reason;
  std::string detail;
  std::optional<uuid> event_id;
  int32_t attempts = 0;
  int64_t first_failed_us = 0;
  int64_t last_failed_us = 0;
  std::optional<int64_t> published_us;
  std::string publish_note; ///< Why a stub was published; empty: the record itself was.
  int32_t replays = 0;
  std::optional<int64_t> replayed_us; ///< When a replay got it into the inbox.
  std::string replay_result;          ///< `stored`, `duplicate`, `refused`; empty: none was tried.
  std::optional<int64_t> key_bytes;   ///< Nothing: the key is null.
  std::optional<int64_t> value_bytes; ///< Nothing: the value is null.
  int32_t headers = 0;
};

/// A dead letter with the record as it was read.
struct stored_letter {
  letter_info info;
  kafka_record record;
};

/// Which dead letters. Everything that is set must hold.
struct letter_filter {
  std::string reason;             ///< Empty: any.
  std::string topic;              ///< Empty: any.
  std::optional<int64_t> from_us; ///< First failed at this time or later.
  std::optional<int64_t> to_us;   ///< First failed before this time.
  std::optional<bool> published;
  std::optional<bool> replayed;
};

/// Part of a list by id: keys, not numbers of rows, so that pages stay right while rows come.
struct letter_page {
  int64_t after_id = 0;                                    ///< Only greater ids,
  int64_t before_id = std::numeric_limits<int64_t>::max(); ///< and smaller ones.
  uint32_t limit = 100;
  bool newest_first = false;
};

/// Unpublished dead letters for the one relay that may publish now.
struct letter_batch {
  bool standby = false; ///< Another relay has the lease; `letters` is empty.
  std::vector<stored_letter> letters;
};

/// How much a batch may hold; a first letter is always part of it.
struct letter_batch_size {
  uint32_t letters = 500;
  size_t bytes = size_t{8} << 20u;
};

/// A dead letter that the broker has.
struct published_letter {
  int64_t id = 0;
  std::string note; ///< Why it was a stub; empty if it was the record itself.
};

/// What the relay needs of the stored dead letters. Blocks.
class letter_relay_store {
public:
  virtual ~letter_relay_store() = default;

  /// Takes or renews the relay's lease if there is anything to publish, then reads unpublished
  /// letters with ids above `after_id`, lowest first. No transaction is open afterwards.
  virtual caf::expected<letter_batch> next_unpublished(int64_t after_id, letter_batch_size size,
                                                       caf::timespan lease) = 0;

  /// Marks them, those marked before aside; returns how many were new.
  virtual caf::expected<uint64_t> mark_published(const std::vector<published_letter>& letters) = 0;

  /// Gives the lease back, if it is ours.
  virtual caf::error release() = 0;
};

using letter_relay_store_ptr = std::shared_ptr<letter_relay_store>;

/// What operators and replays need of the stored dead letters. Blocks.
class dead_letter_store {
public:
  virtual ~dead_letter_store() = default;

  virtual caf::expected<std::vector<letter_info>> list(const letter_filter& filter,
                                                       const letter_page& page) = 0;

  /// Those that exist, by id, lowest first.
  virtual caf::expected<std::vector<letter_info>> find(const std::vector<int64_t>& ids) = 0;

  /// The same with the records' bytes: ask for as many as memory can hold.
  virtual caf::expected<std::vector<stored_letter>> load(const std::vector<int64_t>& ids) = 0;

  /// The highest id that is visible now; 0: none.
  virtual caf::expected<int64_t> last_id() = 0;
};

using dead_letter_store_ptr = std::shared_ptr<dead_letter_store>;

} // namespace notify
