#pragma once

#include "messages/events.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <variant>

namespace notify {

/// What a record may be at most.
struct envelope_limits {
  size_t max_value_bytes = size_t{1024} * 1024;
  size_t max_depth = 32;
};

/// A record that passed validation, with its payload still parsed for routing.
struct valid_event {
  event data;
  boost::json::object payload;
};

/// Why a record can never be processed.
struct refusal {
  std::string reason; ///< Stable code from the closed list in docs/dead-letters.md.
  std::string detail; ///< Safe to show.
  std::optional<uuid> event_id;
};

/// Pure: checks everything that the database would refuse, before any SQL. Takes our own JSON form
/// and the structured JSON form of CloudEvents 1.0.
std::variant<valid_event, refusal> read_envelope(const kafka_record& record,
                                                 const envelope_limits& limits);

} // namespace notify
