#include "actors/providers/api_url.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>

namespace notify {

namespace {

constexpr size_t max_url = 2048;

bool has_scheme_and_host(std::string_view url, std::string_view scheme) {
  if (!boost::algorithm::istarts_with(url, scheme) || !is_visible_ascii(url, max_url))
    return false;
  auto first = url.substr(scheme.size(), 1);
  return !first.empty() && first.find_first_of("/?#:@") == std::string_view::npos;
}

/// The host of a URL without a user, as it is written.
std::string_view host_of(std::string_view url) {
  auto host = url.substr(url.find("//") + 2);
  host = host.substr(0, host.find('/'));
  auto end = host.starts_with('[') ? host.find(']') : host.find(':');
  if (end == std::string_view::npos)
    return host;
  return host.substr(0, host.starts_with('[') ? end + 1 : end);
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

} // namespace

bool is_plain_http_url(std::string_view url) {
  return has_scheme_and_host(url, "http://");
}

bool is_https_url(std::string_view url) {
  return has_scheme_and_host(url, "https://");
}

std::string_view api_url_problem(std::string_view url) {
  if (!is_https_url(url) && !is_plain_http_url(url))
    return "must begin with https:// or http:// and a host";
  if (url.find_first_of("?#@\\") != std::string_view::npos)
    return "must have neither user nor query";
  if (url.ends_with('/'))
    return "must not end with a slash";
  if (is_plain_http_url(url) && !is_this_machine(host_of(url)))
    return "must be https://, because a key goes with every request";
  return {};
}

bool is_visible_ascii(std::string_view text, size_t most) {
  return !text.empty() && text.size() <= most
         && std::all_of(text.begin(), text.end(), [](char x) { return x > ' ' && x < '\x7F'; });
}

} // namespace notify
