#pragma once

#include <cstddef>
#include <string_view>

// What can be told of URLs and headers in settings before there is a request.

namespace notify {

/// What is wrong with the base URL of an API, for people; empty if nothing is. It has a scheme, a
/// host and maybe a path, and no query, fragment or slash at its end. Plain `http` only to this
/// machine: a key goes with every request.
std::string_view api_url_problem(std::string_view url);

/// Visible ASCII only, of 1 to `most` characters. Nothing else can stand in a header's value.
bool is_visible_ascii(std::string_view text, size_t most);

} // namespace notify
