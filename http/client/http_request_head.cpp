#include "http/client/http_request_head.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>
#include <array>

namespace notify {

namespace {

/// Headers that say where a request ends or how its answer comes: only the client knows.
constexpr std::array<std::string_view, 12> own_headers{"Host",
                                                       "Connection",
                                                       "Keep-Alive",
                                                       "Proxy-Connection",
                                                       "Content-Length",
                                                       "TE",
                                                       "Trailer",
                                                       "Upgrade",
                                                       "Transfer-Encoding",
                                                       "Expect",
                                                       "HTTP2-Settings",
                                                       "Accept-Encoding"};

bool are_equal(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

bool is_token_character(char x) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return ('0' <= x && x <= '9') || ('a' <= x && x <= 'z') || ('A' <= x && x <= 'Z')
         || others.find(x) != std::string_view::npos;
}

bool is_value_character(char x) {
  auto byte = static_cast<uint8_t>(x);
  return x == '\t' || (byte >= 0x20 && byte != 0x7F);
}

bool is_own_header(std::string_view name) {
  return std::any_of(own_headers.begin(), own_headers.end(),
                     [&](std::string_view x) { return are_equal(x, name); });
}

bool has_header(const http_headers& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& x) { return are_equal(x.first, name); });
}

/// A request without a body needs to say so only where one is usual.
bool needs_length(const http_request& request) {
  return !request.body.empty() || (request.method != "GET" && request.method != "HEAD");
}

} // namespace

bool is_http_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool is_header_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_value_character);
}

std::optional<std::string> find_fault(const http_request& request) {
  // CONNECT would turn the connection into something else.
  if (!is_http_token(request.method) || request.method == "CONNECT")
    return "not a method for a request";
  for (const auto& [name, value] : request.headers) {
    if (!is_http_token(name))
      return "a header's name has a character that no name may have";
    if (!is_header_value(value))
      return "a header's value has a line break or another control character";
    if (is_own_header(name))
      return "a header is given that the client sets itself";
  }
  return std::nullopt;
}

std::string make_request_head(const http_request& request, const http_url& url,
                              const std::string& user_agent) {
  auto result = request.method + " " + url.target + " HTTP/1.1\r\n";
  auto add = [&](std::string_view name, std::string_view value) {
    result.append(name).append(": ").append(value).append("\r\n");
  };
  add("Host", url.authority());
  if (!has_header(request.headers, "User-Agent"))
    add("User-Agent", user_agent);
  // What nobody compressed cannot unfold to more than its size.
  add("Accept-Encoding", "identity");
  add("Connection", "keep-alive");
  for (const auto& [name, value] : request.headers)
    add(name, value);
  if (needs_length(request))
    add("Content-Length", std::to_string(request.body.size()));
  return result + "\r\n";
}

} // namespace notify
