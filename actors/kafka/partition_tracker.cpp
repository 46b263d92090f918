#include "actors/kafka/partition_tracker.hpp"

namespace notify::kafka {

std::string to_string(const topic_partition& x) {
  return x.topic + '/' + std::to_string(x.partition);
}

partition_tracker::partitions partition_tracker::assign(const partitions& assigned) {
  entries_.clear();
  revoking_ = false;
  lost_ = false;
  partitions to_pause;
  for (const auto& x : assigned) {
    entries_[x] = entry{++last_epoch_, !gate_open_, -1};
    if (!gate_open_)
      to_pause.push_back(x);
  }
  return to_pause;
}

void partition_tracker::begin_revoke(bool lost) {
  revoking_ = true;
  lost_ = lost;
}

partition_tracker::partitions partition_tracker::finish_revoke() {
  partitions to_resume;
  for (const auto& [where, x] : entries_)
    if (x.paused)
      to_resume.push_back(where);
  entries_.clear();
  revoking_ = false;
  lost_ = false;
  return to_resume;
}

partition_tracker::partitions partition_tracker::close_gate() {
  gate_open_ = false;
  partitions to_pause;
  for (auto& [where, x] : entries_) {
    if (!x.paused)
      to_pause.push_back(where);
    x.paused = true;
  }
  return to_pause;
}

partition_tracker::partitions partition_tracker::open_gate() {
  gate_open_ = true;
  partitions to_resume;
  for (auto& [where, x] : entries_) {
    if (x.paused)
      to_resume.push_back(where);
    x.paused = false;
  }
  return to_resume;
}

void partition_tracker::forget_pause(const topic_partition& where) {
  if (auto i = entries_.find(where); i != entries_.end())
    i->second.paused = false;
}

bool partition_tracker::accepts(const topic_partition& where) const {
  return !revoking_ && entries_.contains(where);
}

uint64_t partition_tracker::epoch(const topic_partition& where) const {
  auto i = entries_.find(where);
  return i == entries_.end() ? 0 : i->second.epoch;
}

store_verdict partition_tracker::advance(const topic_partition& where, uint64_t epoch,
                                         int64_t next_offset) {
  auto i = entries_.find(where);
  if (i == entries_.end() || i->second.epoch != epoch || lost_)
    return store_verdict::stale;
  if (next_offset <= i->second.next_offset)
    return store_verdict::behind;
  i->second.next_offset = next_offset;
  return store_verdict::stored;
}

partition_tracker::partitions partition_tracker::assigned() const {
  partitions result;
  for (const auto& [where, x] : entries_)
    result.push_back(where);
  return result;
}

} // namespace notify::kafka
