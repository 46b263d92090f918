#pragma once

#include "http/client/http_exchange.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

// Reading what providers answer. Whatever they send, nothing here throws.

namespace notify {

/// The JSON object that an answer is, if it is one and came completely.
std::optional<boost::json::object> json_object_of(const http_exchange& answer);

/// A member that is a text; empty if there is none. Lives as long as `object`.
std::string_view text_member(const boost::json::object& object, std::string_view name);

/// A member that is a whole number and fits.
std::optional<int64_t> number_member(const boost::json::object& object, std::string_view name);

/// True for a page made for people: whoever answered is not the API.
bool is_html(const http_exchange& answer);

} // namespace notify
