#pragma once

#include <cstdint>
#include <string>

// What retention and careless hands do to a topic and a group.

namespace notify::test {

/// Forgets what the group committed for the topic's first `partitions`.
void delete_offsets(const std::string& brokers, const std::string& group, const std::string& topic,
                    int32_t partitions);

/// Removes the records of a partition before this offset.
void delete_records(const std::string& brokers, const std::string& topic, int32_t partition,
                    int64_t before);

} // namespace notify::test
