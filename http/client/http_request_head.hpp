#pragma once

#include "http/client/http_exchange.hpp"
#include "http/client/http_url.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// True for what RFC 9110 calls a token, such as a method or a header's name.
bool is_http_token(std::string_view text);

/// True if nothing in `text` could end a header line: no control characters but tabs.
bool is_header_value(std::string_view text);

/// Why a request must not go out, in safe words: a method or header that could smuggle in lines
/// of its own, or a header that is the client's to set. Empty if it may.
std::optional<std::string> find_fault(const http_request& request);

/// The request line and headers as they go on the wire, with the empty line. The request has no
/// fault.
std::string make_request_head(const http_request& request, const http_url& url,
                              const std::string& user_agent);

} // namespace notify
