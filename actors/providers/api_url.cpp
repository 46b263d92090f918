#include "actors/providers/api_url.hpp"

#include "http/client/http_url.hpp"

#include <algorithm>

namespace notify {

namespace {

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

} // namespace

std::string_view api_url_problem(std::string_view url) {
  auto parsed = parse_http_url(url);
  if (!parsed)
    return "must begin with https:// or http:// and a host, without a user";
  if (url.find_first_of("?#") != std::string_view::npos)
    return "must have neither query nor fragment";
  if (url.ends_with('/'))
    return "must not end with a slash";
  if (!parsed->is_tls && !is_this_machine(parsed->host))
    return "must be https://, because a key goes with every request";
  return {};
}

bool is_visible_ascii(std::string_view text, size_t most) {
  return !text.empty() && text.size() <= most
         && std::all_of(text.begin(), text.end(), [](char x) { return x > ' ' && x < '\x7F'; });
}

} // namespace notify
