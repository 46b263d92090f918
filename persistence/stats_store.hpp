#pragma once

#include <caf/expected.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace notify {

/// One channel's running totals, since there was a database, and what is in flight now.
struct channel_counts {
  int64_t created = 0;
  int64_t tried = 0; ///< Jobs that had a first attempt.
  int64_t sent = 0;
  int64_t dead = 0;
  int64_t cancelled = 0;
  int64_t cancelled_untried = 0; ///< Of those, the ones that never had an attempt.
  int64_t redriven = 0;          ///< Dead ones that an operator opened again.
  int64_t removed_sent = 0;      ///< Deleted after their retention.
  int64_t removed_dead = 0;
  int64_t removed_cancelled = 0;
  int64_t leased = 0;         ///< Open jobs in flight.
  int64_t leased_untried = 0; ///< Of those, the ones with their first attempt.
  double oldest_due_s = 0;    ///< How long the oldest due job waits; 0: none is due.
};

/// The contract's six statuses of one channel; what is left out is 0.
std::map<std::string, int64_t> count_by_status(const channel_counts& x);

/// Figures by stable names. One that is not known is not there.
using figure_map = std::map<std::string, double>;

/// How the database is for a queue.
struct queue_health {
  bool read_only = false; ///< It takes no writes.
  figure_map figures;
};

/// Looks at the tables without ever going through one of them: totals, what is in flight, the heads
/// of indexes, PostgreSQL's own statistics. Blocks. Each call may fail for itself.
class stats_store {
public:
  virtual ~stats_store() = default;

  virtual caf::expected<std::map<std::string, channel_counts>> count() = 0;
  virtual caf::expected<queue_health> health() = 0;

  /// Whether the totals are what they should be: `books_difference.jobs`,
  /// `books_difference.events`. While very many jobs wait, they are not counted, and the first
  /// figure is not there.
  virtual caf::expected<figure_map> books() = 0;
};

using stats_store_ptr = std::shared_ptr<stats_store>;

} // namespace notify
