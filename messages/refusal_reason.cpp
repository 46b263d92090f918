#include "messages/refusal_reason.hpp"

#include <algorithm>
#include <array>

namespace notify {

namespace {

using enum refusal_reason;

constexpr std::array all{
    tombstone,          empty_value,        missing_data,
    too_large,          not_utf8,           not_json,
    too_deep,           too_many_members,   nul_character,
    invalid_number,     not_an_object,      invalid_header,
    id_mismatch,        missing_field,      invalid_field,
    invalid_event_id,   invalid_event_type, unsupported_version,
    invalid_time,       missing_route_data, invalid_recipient,
    invalid_not_before, invalid_expires_at, routing_failed,
    storage_refused,    crashed_repeatedly, skipped,
};

} // namespace

// A switch without a default: the compiler tells when a name is missing.
std::string to_string(refusal_reason x) {
  switch (x) {
  case tombstone:
    return "tombstone";
  case empty_value:
    return "empty_value";
  case missing_data:
    return "missing_data";
  case too_large:
    return "too_large";
  case not_utf8:
    return "not_utf8";
  case not_json:
    return "not_json";
  case too_deep:
    return "too_deep";
  case too_many_members:
    return "too_many_members";
  case nul_character:
    return "nul_character";
  case invalid_number:
    return "invalid_number";
  case not_an_object:
    return "not_an_object";
  case invalid_header:
    return "invalid_header";
  case id_mismatch:
    return "id_mismatch";
  case missing_field:
    return "missing_field";
  case invalid_field:
    return "invalid_field";
  case invalid_event_id:
    return "invalid_event_id";
  case invalid_event_type:
    return "invalid_event_type";
  case unsupported_version:
    return "unsupported_version";
  case invalid_time:
    return "invalid_time";
  case missing_route_data:
    return "missing_route_data";
  case invalid_recipient:
    return "invalid_recipient";
  case invalid_not_before:
    return "invalid_not_before";
  case invalid_expires_at:
    return "invalid_expires_at";
  case routing_failed:
    return "routing_failed";
  case storage_refused:
    return "storage_refused";
  case crashed_repeatedly:
    return "crashed_repeatedly";
  case skipped:
    return "skipped";
  }
  return "invalid";
}

std::optional<refusal_reason> parse_refusal_reason(std::string_view name) {
  auto found = std::find_if(all.begin(), all.end(), [&](auto x) { return to_string(x) == name; });
  return found != all.end() ? std::optional{*found} : std::nullopt;
}

std::span<const refusal_reason> all_refusal_reasons() {
  return all;
}

} // namespace notify
