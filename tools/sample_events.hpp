#pragma once

#include "actors/kafka/producer.hpp"
#include "messages/uuid.hpp"

#include <caf/expected.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

// Valid events of an imaginary shop, for a first look and for tests by hand.

namespace notify::sample {

/// What the person at the keyboard chose; everything else is invented anew for each event.
struct choices {
  std::string type = "order.paid.v1";
  std::string email = "buyer@example.com";
  std::string locale = "en";
  std::optional<uuid> event_id; ///< Not given: a fresh one.
};

/// The event types that `make_event` knows: those the service has routes for.
std::span<const std::string_view> types();

/// A record as the order service would publish it, without topic: the key is the order's id, the
/// value the envelope of docs/events.md. `type` must be one of `types()`.
kafka::outgoing_record make_event(const choices& x);

/// The event id in a record's value, in our own or the CloudEvents form; empty if there is none.
std::string event_id_of(const kafka::outgoing_record& x);

/// A record whose value is this line of text. The key is the aggregate id if the text is JSON and
/// has one. Unless `raw`, text that is no JSON object is refused (`ec::invalid_event`).
caf::expected<kafka::outgoing_record> from_line(std::string_view line, bool raw);

} // namespace notify::sample
