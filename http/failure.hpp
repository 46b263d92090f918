#pragma once

#include "http/message.hpp"

#include <caf/error.hpp>

#include <string_view>

namespace notify::http {

/// What a client is told about a failure inside the service. `noun` is what the route is about, in
/// upper case, e.g. `NOTIFICATION`: 404 has the code `NOTIFICATION_NOT_FOUND`.
///
/// - `ec::not_found` 404, `ec::wrong_state` 409, `ec::invalid_request` 400, with their own words;
/// - storage, Kafka, a stop, or an actor that does not answer: 503 with Retry-After;
/// - anything else: 500.
///
/// The text of the last two goes to the log only: it may have words of a database in it.
response failure_response(const caf::error& err, std::string_view noun = "RESOURCE");

} // namespace notify::http
