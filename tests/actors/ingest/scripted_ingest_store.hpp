#pragma once

#include "messages/error.hpp"
#include "persistence/ingest_store.hpp"

#include <deque>
#include <set>
#include <vector>

namespace notify::test {

/// Keeps what it stores in memory, with the keys of the real tables; refuses what the test names.
class scripted_ingest_store : public ingest_store {
public:
  caf::expected<ingest_report> store(const ingest_batch& batch) override {
    ++calls;
    if (!errors.empty()) {
      auto code = errors.front();
      errors.pop_front();
      return caf::make_error(code, std::string{"scripted"});
    }
    for (const auto& x : batch.events)
      if (bad.contains(x.event_id))
        return caf::make_error(ec::storage_data, std::string{"22P02"});
    ingest_report report;
    for (const auto& x : batch.events)
      ++(events.insert(x.event_id).second ? report.events : report.duplicates);
    for (const auto& x : batch.jobs)
      report.jobs += jobs.insert(x.id).second ? 1 : 0;
    report.dead_letters = batch.dead_letters.size();
    letters.insert(letters.end(), batch.dead_letters.begin(), batch.dead_letters.end());
    if (!batch.dead_letters.empty() && !batch.moves.empty())
      ++letters_with_moves;
    moves.insert(moves.end(), batch.moves.begin(), batch.moves.end());
    return report;
  }

  std::set<uuid> bad;
  std::deque<ec> errors; ///< Of the next calls.
  std::set<uuid> events;
  std::set<uuid> jobs;
  std::vector<dead_letter> letters;
  std::vector<ledger_move> moves;
  int letters_with_moves = 0;
  int calls = 0;
};

} // namespace notify::test
