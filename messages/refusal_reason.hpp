#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace notify {

/// Why a record became a dead letter: the closed list. The names stand in the database, in logs, in
/// metrics and in docs/dead-letters.md, so append only.
enum class refusal_reason : uint8_t {
  // The envelope.
  tombstone,
  empty_value,
  missing_data,
  too_large,
  not_utf8,
  not_json,
  too_deep,
  too_many_members,
  nul_character,
  invalid_number,
  not_an_object,
  invalid_header,
  id_mismatch,
  missing_field,
  invalid_field,
  invalid_event_id,
  invalid_event_type,
  unsupported_version,
  invalid_time,
  // Routing.
  missing_route_data,
  invalid_recipient,
  invalid_not_before,
  invalid_expires_at,
  routing_failed,
  // Storing.
  storage_refused,
  crashed_repeatedly,
  // An operator.
  skipped,
};

/// The stable name, e.g. `not_json`.
std::string to_string(refusal_reason x);

/// The reason of that name; nothing if there is none.
std::optional<refusal_reason> parse_refusal_reason(std::string_view name);

/// Every reason, in the order above.
std::span<const refusal_reason> all_refusal_reasons();

} // namespace notify
