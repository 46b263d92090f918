#pragma once

#include "http/client/http_exchange.hpp"

#include <boost/json/value.hpp>

#include <caf/timespan.hpp>

#include <chrono>
#include <optional>
#include <string_view>

// How long a provider asks to be left alone. Nothing here throws or clamps: the retry policy knows
// what is too long. What no timespan can hold is the longest one.

namespace notify {

/// `Retry-After` (RFC 9110, section 10.2.3), and what is sent in its place: seconds, also with a
/// fraction (rounded up), below zero (0) or as a list (the longest counts); or an HTTP-date, seen
/// from `sent_at`, the moment of the answer. Nothing if it is neither, or more digits than any
/// clock counts.
std::optional<caf::timespan> parse_retry_after(std::string_view value,
                                               std::chrono::sys_seconds sent_at);

/// `RateLimit-Reset` and its relatives: seconds from now, or the second of 1970 at which the limit
/// is lifted. Providers do not say which; what lies above 10^9 is a date.
std::optional<caf::timespan> parse_limit_reset(std::string_view value,
                                               std::chrono::sys_seconds sent_at);

/// A wait in an answer's JSON, such as Telegram's `parameters.retry_after`: a number of seconds, or
/// a text as in a header.
std::optional<caf::timespan> parse_json_wait(const boost::json::value& value);

/// `Retry-After` of an answer; the longest if there are several. Dates are compared with the
/// answer's own `Date` if it has one, since its clock made both, and with `now` if not.
std::optional<caf::timespan> retry_after_of(const http_exchange& answer,
                                            std::chrono::system_clock::time_point now);

/// `ratelimit-reset` or `x-ratelimit-reset` of an answer. They are in answers of all kinds, so they
/// are a wait only where the limit was the reason.
std::optional<caf::timespan> limit_reset_of(const http_exchange& answer,
                                            std::chrono::system_clock::time_point now);

} // namespace notify
