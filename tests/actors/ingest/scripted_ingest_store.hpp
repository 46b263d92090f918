#pragma once

#include "messages/error.hpp"
#include "persistence/ingest_store.hpp"

#include <deque>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace notify::test {

/// Keeps what it stores in memory, with the keys of the real tables; refuses what the test names.
class scripted_ingest_store : public ingest_store {
public:
  caf::expected<ingest_report> store(const ingest_batch& batch) override {
    ++calls;
    for (const auto& x : batch.events)
      if (deadly.contains(x.event_id))
        throw std::runtime_error{"deadly"};
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
    for (const auto& x : batch.moves)
      stored_to[{x.topic, x.partition}] = x.next_offset;
    for (const auto& x : batch.finished)
      if (auto i = marks.find({x.topic, x.partition}); i != marks.end()
                                                       && i->second.first_offset == x.first_offset
                                                       && i->second.next_offset == x.next_offset)
        marks.erase(i);
    return report;
  }

  caf::expected<std::vector<partition_history>>
  look_up(const std::vector<partition_key>& partitions) override {
    ++look_ups;
    std::vector<partition_history> result;
    for (const auto& where : partitions) {
      partition_history x{where, stored_to[where], std::nullopt, {}};
      if (auto i = marks.find(where); i != marks.end())
        x.mark = i->second;
      for (const auto& letter : letters)
        if (letter.reason == "crashed_repeatedly" && letter.record.topic == where.first
            && letter.record.partition == where.second)
          x.condemned.emplace_back(letter.record.offset, letter.record.timestamp_ms);
      result.push_back(std::move(x));
    }
    return result;
  }

  caf::error mark(const std::vector<ingest_mark>& list) override {
    ++mark_calls;
    for (const auto& x : list)
      marks[{x.topic, x.partition}] = x;
    return {};
  }

  std::set<uuid> bad;
  std::set<uuid> deadly; ///< Whoever stores one of these dies.
  std::deque<ec> errors; ///< Of the next calls.
  std::set<uuid> events;
  std::set<uuid> jobs;
  std::vector<dead_letter> letters;
  std::vector<ledger_move> moves;
  std::map<partition_key, int64_t> stored_to;
  std::map<partition_key, ingest_mark> marks;
  int letters_with_moves = 0;
  int look_ups = 0;
  int mark_calls = 0;
  int calls = 0;
};

} // namespace notify::test
