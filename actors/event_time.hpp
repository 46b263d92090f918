#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// Reads an RFC 3339 time with any offset as microseconds since 1970, UTC; finer fractions are cut
/// off. Nothing if it is not one or lies outside the years 1970 to 9999 (UTC). The leap second
/// 23:59:60 (UTC) counts as the last microsecond of that minute.
std::optional<int64_t> parse_event_time(std::string_view text);

/// For people: `2026-09-01 16:00 UTC`.
std::string format_event_time(int64_t us);

/// For programs: `2026-09-01T16:00:00Z`, with six digits of a fraction if there is one.
std::string format_rfc3339(int64_t us);

} // namespace notify
