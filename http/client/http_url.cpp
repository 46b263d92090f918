#include "http/client/http_url.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <charconv>

namespace notify {

namespace {

/// What a host name in the DNS can be at most.
constexpr size_t max_host_size = 253;

char to_lower(char x) {
  return 'A' <= x && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x;
}

std::string to_lower(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(), [](char x) { return to_lower(x); });
  return result;
}

bool is_printable(char x) {
  return '!' <= x && x <= '~';
}

bool is_host_character(char x) {
  auto lower = to_lower(x);
  return ('a' <= lower && lower <= 'z') || ('0' <= x && x <= '9') || x == '-' || x == '.'
         || x == '_';
}

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= max_host_size && text.front() != '.'
         && std::all_of(text.begin(), text.end(), is_host_character);
}

bool is_ipv6(std::string_view text) {
  boost::system::error_code error;
  if (text.find('%') == std::string_view::npos)
    boost::asio::ip::make_address_v6(std::string{text}, error);
  return text.find('%') == std::string_view::npos && !error;
}

bool drop_prefix(std::string_view& text, std::string_view prefix) {
  if (text.size() < prefix.size() || to_lower(text.substr(0, prefix.size())) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool parse_port(std::string_view text, uint16_t& port) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port != 0;
}

/// Reads `host`, `host:port` or `[address]:port`.
bool parse_authority(std::string_view text, http_url& result) {
  auto is_bracketed = text.starts_with('[');
  auto host_end = is_bracketed ? text.find(']') : text.find(':');
  if (is_bracketed && host_end == std::string_view::npos)
    return false;
  auto host = is_bracketed ? text.substr(1, host_end - 1) : text.substr(0, host_end);
  if (is_bracketed ? !is_ipv6(host) : !is_host_name(host))
    return false;
  result.host = to_lower(host);
  auto rest = text.substr(std::min(text.size(), host.size() + (is_bracketed ? 2 : 0)));
  result.port = result.is_tls ? 443 : 80;
  return rest.empty() || (rest.front() == ':' && parse_port(rest.substr(1), result.port));
}

} // namespace

std::string http_url::authority() const {
  auto result = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (is_tls ? 443 : 80))
    result += ":" + std::to_string(port);
  return result;
}

std::string http_url::origin() const {
  return (is_tls ? "https://" : "http://") + authority();
}

std::optional<http_url> parse_http_url(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_printable))
    return std::nullopt;
  http_url result;
  if (drop_prefix(text, "https://"))
    result.is_tls = true;
  else if (!drop_prefix(text, "http://"))
    return std::nullopt;
  text = text.substr(0, text.find('#'));
  auto authority = text.substr(0, text.find_first_of("/?"));
  if (!parse_authority(authority, result))
    return std::nullopt;
  result.target = text.substr(authority.size());
  if (!result.target.starts_with('/'))
    result.target.insert(0, "/");
  return result;
}

} // namespace notify
