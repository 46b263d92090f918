#pragma once

#include "actors/kafka/record_source.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace notify {

/// What a record takes in memory, roughly.
size_t footprint(const kafka_record& x);

/// Records that wait for a writer, by partition and in offset order. Pure.
class record_buffer {
public:
  using predicate = std::function<bool(const kafka::topic_partition&)>;

  void push(kafka_record x);

  /// Removes up to `limit` records of partitions that are not busy: a partition's records stay
  /// together and in order. Starts behind the partition that was served last, so that none
  /// starves.
  std::vector<kafka_record> take(size_t limit, const predicate& busy);

  void drop(const kafka::topic_partition& where);

  void clear();

  size_t records() const { return records_; }
  size_t bytes() const { return bytes_; }

private:
  using queues = std::map<kafka::topic_partition, std::deque<kafka_record>>;

  void move_front(std::deque<kafka_record>& from, size_t limit, std::vector<kafka_record>& to);

  queues queues_;
  kafka::topic_partition last_;
  size_t records_ = 0;
  size_t bytes_ = 0;
};

} // namespace notify
