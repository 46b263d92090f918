#pragma once

#include <cstddef>
#include <string_view>

// URLs in settings and of recipients. The HTTP client reads them for good; this is only about what
// can be told at start, or without a request.

namespace notify {

/// True for `http://` and a host.
bool is_plain_http_url(std::string_view url);

/// True for `https://` and a host.
bool is_https_url(std::string_view url);

/// What is wrong with the base URL of an API, for people; empty if nothing is. It has a scheme, a
/// host and maybe a path, and neither user nor query nor a slash at its end. Plain `http` only to
/// this machine: a key goes with every request.
std::string_view api_url_problem(std::string_view url);

/// Visible ASCII only, of 1 to `most` characters. Nothing else can stand in a header or a
/// URL.
bool is_visible_ascii(std::string_view text, size_t most);

} // namespace notify
