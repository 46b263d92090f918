#pragma once

#include <caf/timespan.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace notify {

// Durations as people write them, in the configuration file and in routes.

/// `30s`, `500ms`, `5min`, `2h`: the largest unit that is exact.
std::string duration_text(caf::timespan x);

/// Reads a whole number with one of the units ns, us, ms, s, min and h. Nothing if the text is
/// anything else or too long a time.
std::optional<caf::timespan> parse_duration(std::string_view text);

/// True if the text is a duration, perhaps with a sign, whose number is too large for its unit.
/// CAF's reader does not notice.
bool duration_overflows(std::string_view text);

} // namespace notify
