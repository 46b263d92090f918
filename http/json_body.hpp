#pragma once

#include "http/fields.hpp"

namespace notify::http {

/// The members of the JSON object that is a request's body; no body at all is an object without
/// members. `finish` refuses a body of another content type (415), one that is no JSON object, and
/// one that is nested deeper than 8 or has more than 1,000 members (400).
fields read_body(const request& x);

} // namespace notify::http
