#pragma once

#include "actors/kafka/producer.hpp"
#include "persistence/dead_letter_store.hpp"

#include <string>

namespace notify {

/// Where published dead letters go, and who says so in their headers.
struct dead_letter_origin {
  std::string topic;   ///< Of the dead letters.
  std::string group;   ///< The consumer group that read the record.
  std::string version; ///< Of this program.
};

/// The record for the dead-letter topic: key, value and headers as they came, in their order, then
/// our own headers. Headers that already have our prefix, because the record came from a topic of
/// dead letters itself, are replaced.
kafka::outgoing_record make_dead_letter_record(const stored_letter& letter,
                                               const dead_letter_origin& origin);

/// In place of a record that the broker refuses as it is: our headers only, with `why`, and the key
/// if it is short. The body stays in the database.
kafka::outgoing_record make_dead_letter_stub(const stored_letter& letter,
                                             const dead_letter_origin& origin,
                                             const std::string& why);

} // namespace notify
