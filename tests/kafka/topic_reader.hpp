#pragma once

#include "messages/kafka.hpp"

#include <string>
#include <vector>

namespace notify::test {

/// Reads a topic's first `count` records with a plain consumer of its own, from all partitions.
/// Fewer records come back if no more arrive within a minute.
std::vector<kafka_record> read_topic(const std::string& brokers, const std::string& topic,
                                     size_t count);

/// Commits these offsets for partition 0, 1, ... of the topic in the name of a consumer group.
void commit_offsets(const std::string& brokers, const std::string& group, const std::string& topic,
                    const std::vector<int64_t>& offsets);

/// A name that no other test uses.
std::string unique_name(const std::string& prefix);

} // namespace notify::test
