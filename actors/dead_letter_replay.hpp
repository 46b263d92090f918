#pragma once

#include "actors/envelope.hpp"
#include "actors/live_value.hpp"
#include "actors/routing.hpp"
#include "persistence/dead_letter_store.hpp"
#include "persistence/ingest_store.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace notify {

/// Which dead letters to try again, and how.
struct replay_request {
  std::vector<int64_t> ids; ///< If there are any, `filter` and `limit` do not count.
  letter_filter filter;     ///< `replayed` is set to false in any case.
  uint64_t limit = 0;       ///< Most letters; 0: all.
  bool dry_run = false;     ///< Only tells what would be valid.
};

/// What came of it so far.
struct replay_report {
  uint64_t tried = 0;
  uint64_t stored = 0;     ///< Their events are in the inbox now; dry run: would be.
  uint64_t duplicates = 0; ///< Their events came from other records; dry run: within one batch.
  uint64_t refused = 0;    ///< Still dead letters.
  uint64_t settled = 0;    ///< A replay had settled them before, or did meanwhile.
  uint64_t missing = 0;    ///< Ids that no dead letter has.
  uint64_t jobs = 0;       ///< Notifications that wait now; dry run: at most so many would.
  std::map<std::string, uint64_t> reasons; ///< Of the refused ones, by today's rules.
};

/// The rules that records are judged by, as for records from Kafka.
struct replay_rules {
  live_value<routing_table> routes;
  envelope_limits limits;
};

/// Takes stored dead letters through the inbox path again, on the caller's thread. No actor, so
/// that a program and a service share it.
///
/// A letter whose record is valid by now becomes an event with its jobs, and is settled in the same
/// transaction; any other stays what it is, with the new reason and one more attempt. No replay
/// makes a new dead letter, no letter is tried twice in one run, and a settled one is never tried
/// again: nothing can go in circles. The partition ledger stays as it is.
class dead_letter_replay {
public:
  /// Most letters and about as many bytes of one transaction.
  static constexpr letter_batch_size default_batch{200, size_t{8} << 20u};

  using progress = std::function<void(const replay_report&)>;

  dead_letter_replay(dead_letter_store& letters, ingest_store& inbox, replay_rules rules,
                     letter_batch_size batch = default_batch)
      : letters_(letters), inbox_(inbox), rules_(std::move(rules)), batch_(batch) {}

  /// Letters that come while it runs are left out. `after_batch` hears of the sums after each
  /// transaction. An error ends the run; what was settled before stays settled, so the same request
  /// goes on where it stopped.
  caf::expected<replay_report> run(const replay_request& request, const progress& after_batch = {});

private:
  struct verdict;

  caf::error run_ids(const replay_request& request);
  caf::error run_filter(const replay_request& request);
  caf::error try_page(const std::vector<letter_info>& page);
  caf::error try_letters(const std::vector<int64_t>& ids);
  caf::error store(const std::vector<verdict>& verdicts, size_t first, size_t last);
  caf::error refused_by_storage(const verdict& x, const caf::error& reason);
  verdict judge(const stored_letter& letter) const;
  void count(const std::vector<verdict>& verdicts, size_t first, size_t last,
             const ingest_report& report);

  dead_letter_store& letters_;
  ingest_store& inbox_;
  replay_rules rules_;
  letter_batch_size batch_;
  bool dry_run_ = false;
  progress after_batch_;
  replay_report sum_;
};

} // namespace notify
