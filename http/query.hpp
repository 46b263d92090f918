#pragma once

#include "http/fields.hpp"

namespace notify::http {

/// The parameters of a request's query: percent-decoded, '+' is a space, `a` alone is `a=`. A
/// repeated parameter is a list, which only `choices_of` takes. More than 64 parameters, or ones
/// that cannot be decoded, are refused by `finish`.
fields read_query(const request& x);

} // namespace notify::http
