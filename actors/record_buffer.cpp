#include "actors/record_buffer.hpp"

namespace notify {

size_t footprint(const kafka_record& x) {
  auto result = sizeof(kafka_record) + x.topic.size() + x.key.bytes.size() + x.value.bytes.size();
  for (const auto& header : x.headers)
    result += sizeof(record_header) + header.name.size() + header.value.bytes.size();
  return result;
}

void record_buffer::push(kafka_record x) {
  ++records_;
  bytes_ += footprint(x);
  queues_[{x.topic, x.partition}].push_back(std::move(x));
}

std::vector<kafka_record> record_buffer::take(size_t limit, const predicate& busy) {
  std::vector<kafka_record> result;
  auto next = queues_.upper_bound(last_);
  // Every partition once, around the ring.
  for (auto left = queues_.size(); left > 0 && result.size() < limit; --left) {
    if (next == queues_.end())
      next = queues_.begin();
    auto& [where, queue] = *next;
    if (!queue.empty() && !busy(where)) {
      move_front(queue, limit, result);
      last_ = where;
    }
    ++next;
  }
  return result;
}

void record_buffer::move_front(std::deque<kafka_record>& from, size_t limit,
                               std::vector<kafka_record>& to) {
  while (!from.empty() && to.size() < limit) {
    bytes_ -= footprint(from.front());
    --records_;
    to.push_back(std::move(from.front()));
    from.pop_front();
  }
}

void record_buffer::drop(const kafka::topic_partition& where) {
  auto i = queues_.find(where);
  if (i == queues_.end())
    return;
  for (const auto& x : i->second)
    bytes_ -= footprint(x);
  records_ -= i->second.size();
  queues_.erase(i);
}

void record_buffer::clear() {
  queues_.clear();
  records_ = 0;
  bytes_ = 0;
}

} // namespace notify
