#pragma once

#include "messages/events.hpp"
#include "messages/refusal_reason.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace notify {

/// What a record may be at most.
struct envelope_limits {
  size_t max_value_bytes = size_t{1024} * 1024;
  size_t max_depth = 32;
  size_t max_members = 50'000; ///< Members and list elements of the whole value together.
};

/// A record that passed validation, with its payload still parsed for routing.
struct valid_event {
  event data;
  boost::json::object payload;
};

/// Why a record can never be processed.
struct refusal {
  refusal_reason reason{};
  std::string detail; ///< Safe to show.
  std::optional<uuid> event_id;
};

/// An event's id in any form that PostgreSQL reads, or as `urn:uuid:`. Nothing if it is another
/// text or the nil UUID.
std::optional<uuid> parse_event_id(std::string_view text);

/// Pure: checks everything that the database would refuse, before any SQL. Takes our own JSON form
/// and CloudEvents 1.0 in structured and in binary mode.
std::variant<valid_event, refusal> read_envelope(const kafka_record& record,
                                                 const envelope_limits& limits);

} // namespace notify
