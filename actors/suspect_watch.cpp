#include "actors/suspect_watch.hpp"

#include "actors/ingest_plan.hpp"
#include "messages/log.hpp"

#include <algorithm>

namespace notify {

namespace {

ingest_mark mark_of(const ledger_move& x) {
  return {x.topic, x.partition, x.first_offset, x.next_offset, 1};
}

} // namespace

caf::error suspect_watch::meet(ingest_store& storage, std::span<const kafka_record> records) {
  std::vector<partition_key> unknown;
  for (const auto& x : moves_of(records))
    if (partition_key where{x.topic, x.partition}; !partitions_.contains(where))
      unknown.push_back(std::move(where));
  if (unknown.empty())
    return {};
  auto found = storage.look_up(unknown);
  if (!found)
    return std::move(found.error());
  for (const auto& where : unknown)
    partitions_[where] = {0, watched_, std::nullopt, {}};
  for (auto& x : *found) {
    if (x.mark)
      log::warning("inbox-writer", "a writer died over these records, they are tried one by one",
                   {{"topic", x.mark->topic},
                    {"partition", x.mark->partition},
                    {"first_offset", x.mark->first_offset},
                    {"next_offset", x.mark->next_offset},
                    {"attempts", x.mark->attempts}});
    partitions_[x.where] = {
        x.stored_to, watched_, std::move(x.mark), {x.condemned.begin(), x.condemned.end()}};
  }
  return {};
}

const suspect_watch::watched_partition& suspect_watch::at(const std::string& topic,
                                                          int32_t partition) const {
  return partitions_.at({topic, partition});
}

std::optional<batch_part> suspect_watch::single(const kafka_record& x) const {
  const auto& [stored_to, left, suspects, condemned] = at(x.topic, x.partition);
  if (condemned.contains({x.offset, x.timestamp_ms}))
    return batch_part{{&x, 1}, handling::condemned, tries_};
  if (!suspects || x.offset < suspects->first_offset || x.offset >= suspects->next_offset)
    return std::nullopt;
  // Only who was tried alone is proved guilty.
  auto alone = suspects->next_offset - suspects->first_offset == 1;
  auto guilty = alone && suspects->attempts >= tries_;
  return batch_part{{&x, 1}, guilty ? handling::condemned : handling::alone, suspects->attempts};
}

std::vector<batch_part> suspect_watch::cut(std::span<const kafka_record> records) const {
  auto moves = moves_of(records);
  auto quiet = std::all_of(moves.begin(), moves.end(), [&](const auto& x) {
    return at(x.topic, x.partition).is_quiet(x.first_offset);
  });
  if (quiet)
    return {{records, handling::together, 0}};
  std::vector<batch_part> result;
  size_t begin = 0;
  auto close = [&](size_t end) {
    if (end > begin)
      result.push_back({records.subspan(begin, end - begin), handling::together, 0});
  };
  for (size_t i = 0; i < records.size(); ++i) {
    auto part = single(records[i]);
    if (!part)
      continue;
    close(i);
    result.push_back(*part);
    begin = i + 1;
  }
  close(records.size());
  return result;
}

std::vector<ingest_mark> suspect_watch::marks_before(const batch_part& x) const {
  std::vector<ingest_mark> result;
  if (x.how == handling::condemned)
    return result;
  for (const auto& move : moves_of(x.records)) {
    if (x.how == handling::together && at(move.topic, move.partition).left == 0)
      continue;
    result.push_back(mark_of(move));
    result.back().attempts += x.attempts;
  }
  return result;
}

std::vector<ingest_mark> suspect_watch::marks_after(const batch_part& x) const {
  std::vector<ingest_mark> result;
  for (const auto& move : moves_of(x.records)) {
    const auto& suspects = at(move.topic, move.partition).suspects;
    if (suspects && move.next_offset >= suspects->next_offset)
      result.push_back(*suspects);
  }
  return result;
}

void suspect_watch::passed(const batch_part& x) {
  if (x.how == handling::condemned) {
    const auto& record = x.records.front();
    partitions_.at({record.topic, record.partition})
        .condemned.emplace(record.offset, record.timestamp_ms);
  }
  for (const auto& move : moves_of(x.records)) {
    auto& here = partitions_.at({move.topic, move.partition});
    auto beyond =
        std::max<int64_t>(0, move.next_offset - std::max(move.first_offset, here.stored_to));
    // Offsets have gaps, so there may be fewer records than that.
    here.left -=
        std::min({here.left, static_cast<size_t>(move.records), static_cast<size_t>(beyond)});
    if (!here.suspects)
      continue;
    here.suspects->first_offset = std::max(here.suspects->first_offset, move.next_offset);
    if (here.suspects->first_offset >= here.suspects->next_offset)
      here.suspects.reset();
  }
}

std::vector<ingest_mark> marks_of(std::span<const kafka_record> records) {
  std::vector<ingest_mark> result;
  for (const auto& x : moves_of(records))
    result.push_back(mark_of(x));
  return result;
}

} // namespace notify
