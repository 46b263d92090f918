#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace notify {

/// Reads an HTTP-date in each of its three forms (RFC 9110, section 5.6.7): IMF-fixdate, RFC 850
/// and asctime. `now` decides the century of a year of two digits. Nothing if it is not one; never
/// throws.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text,
                                                        std::chrono::sys_seconds now);

} // namespace notify
