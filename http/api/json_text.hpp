#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace notify::http {

/// A 64-bit integer as JSON: a string, since a browser would round a number.
boost::json::value json_int64(int64_t x);
boost::json::value json_int64(uint64_t x);

/// A time (microseconds since 1970, UTC) as RFC 3339 text.
boost::json::value json_time(int64_t us);

/// An age in milliseconds; null for a negative one, which is not known.
boost::json::value json_age(int64_t ms);

/// Text, or null for an empty one.
boost::json::value json_text(std::string_view x);

} // namespace notify::http
