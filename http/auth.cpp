#include "http/auth.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

#include <algorithm>

namespace notify::http {

namespace {

using namespace std::chrono_literals;
using boost::beast::iequals;

constexpr uint32_t most_failures = 10;
constexpr uint32_t most_log_lines = 10;
constexpr auto window = 1min;

/// Who is entered into the audit log where nobody has to say who they are.
constexpr const char* nobody = "http.auth=none";

bool changes_something(const request& x) {
  return x.method != "GET" && x.method != "HEAD" && x.method != "OPTIONS";
}

/// The host of a Host header, without port and brackets.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) {
    auto end = std::min(host.find(']'), host.size());
    return host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

/// `host:port` with the port that the scheme stands for left out.
std::string_view authority(std::string_view text, std::string_view default_port) {
  if (text.ends_with(default_port))
    text.remove_suffix(default_port.size());
  return text;
}

/// Whether a browser says that a page of another site sent this. Programs send no Origin.
bool is_cross_site(const request& x) {
  if (iequals(x.header("Sec-Fetch-Site"), "cross-site"))
    return true;
  auto origin = x.header("Origin");
  if (origin.empty())
    return false;
  auto host = x.header("Host");
  if (origin.starts_with("http://"))
    return !iequals(authority(origin.substr(7), ":80"), authority(host, ":80"));
  if (origin.starts_with("https://"))
    return !iequals(authority(origin.substr(8), ":443"), authority(host, ":443"));
  return true;
}

bool names_this_machine(const request& x) {
  auto name = host_name(x.header("Host"));
  return iequals(name, "localhost") || is_loopback(std::string{name});
}

/// The token behind `Bearer`; empty if there is none.
std::string_view bearer_token(const request& x) {
  constexpr std::string_view scheme = "Bearer ";
  auto value = x.header("Authorization");
  if (!iequals(value.substr(0, scheme.size()), scheme))
    return {};
  value.remove_prefix(scheme.size());
  while (value.starts_with(' '))
    value.remove_prefix(1);
  return value;
}

response unauthenticated(const std::string& message) {
  auto result = error_response(401, "UNAUTHENTICATED", message);
  result.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"notifyd\"");
  return result;
}

} // namespace

bool is_loopback(const std::string& address) {
  boost::system::error_code failure;
  auto x = boost::asio::ip::make_address(address, failure);
  return !failure && x.is_loopback();
}

gatekeeper::gatekeeper(http_auth mode, token_list tokens,
                       std::function<rate_window::clock::time_point()> now)
    : mode_(mode), tokens_(std::make_shared<const token_list>(std::move(tokens))),
      failures_(most_failures, window, now), log_lines_(most_log_lines, window, now) {}

std::optional<response> gatekeeper::decide(request& x, access needed) {
  auto result = judge(x, needed);
  if (result && needed != access::open)
    log_refusal(x, result->status);
  return result;
}

bool gatekeeper::replace_tokens(token_list tokens) {
  if (tokens == *tokens_.load())
    return false;
  tokens_ = std::make_shared<const token_list>(std::move(tokens));
  return true;
}

std::optional<response> gatekeeper::judge(request& x, access needed) {
  if (changes_something(x) && is_cross_site(x))
    return error_response(403, "CROSS_SITE", "A page of another site must not do this.");
  if (needed == access::open)
    return std::nullopt;
  if (mode_ == http_auth::token)
    return judge_token(x, needed);
  if (!names_this_machine(x))
    return error_response(403, "FOREIGN_HOST",
                          "Without tokens only requests to this machine's own name are served.");
  x.who = {nobody, access::act};
  return std::nullopt;
}

std::optional<response> gatekeeper::judge_token(request& x, access needed) {
  auto token = bearer_token(x);
  if (token.empty())
    return unauthenticated("This needs a token: Authorization: Bearer TOKEN.");
  auto who = tokens_.load()->find(token);
  if (!who)
    return unknown_token(x);
  x.who = std::move(*who);
  if (x.who.role < needed)
    return error_response(403, "FORBIDDEN", "This needs the role " + role_name(needed) + ".");
  return std::nullopt;
}

response gatekeeper::unknown_token(const request& x) {
  if (!failures_.is_over(failures_.count(x.peer)))
    return unauthenticated("This token is not known.");
  auto result = error_response(429, "TOO_MANY_FAILED_LOGINS",
                               "Too many unknown tokens came from your address; wait a minute.");
  result.headers.emplace_back("Retry-After", "60");
  return result;
}

void gatekeeper::log_refusal(const request& x, unsigned status) {
  auto count = log_lines_.count(x.peer);
  if (log_lines_.is_over(count))
    return;
  log::warning("http",
               count == log_lines_.most() ? "refused; more from there are not logged for a minute"
                                          : "refused",
               {{"who", x.who.name},
                {"method", x.method},
                {"route", x.route},
                {"peer", x.peer},
                {"status", status}});
}

caf::expected<token_list> read_tokens(const http_config& config) {
  if (config.auth == http_auth::none) {
    if (is_loopback(config.address))
      return token_list{};
    return caf::make_error(ec::invalid_config,
                           "http.auth=none is for loopback addresses only, not for http.address "
                               + config.address);
  }
  if (config.tokens_file.empty())
    return token_list{};
  auto result = token_list::load(config.tokens_file);
  if (!result)
    return caf::make_error(ec::invalid_config,
                           "http.tokens-file: " + result.error().context().get_as<std::string>(0));
  return result;
}

caf::expected<std::shared_ptr<gatekeeper>> make_gatekeeper(const http_config& config) {
  auto tokens = read_tokens(config);
  if (!tokens)
    return tokens.error();
  if (config.auth == http_auth::none)
    log::warning("http", "http.auth is none: every user of this machine may do everything");
  else if (tokens->size() == 0)
    log::warning("http", "nobody has a token, so the API answers 401: make one with 'notifyd token "
                         "NAME operator' and put its line into http.tokens-file");
  else if (!is_loopback(config.address) && config.tls_certificate.empty())
    log::warning("http", "tokens travel unencrypted to http.address: set http.tls-certificate, or "
                         "keep the network to a proxy that has TLS");
  return std::make_shared<gatekeeper>(config.auth, std::move(*tokens));
}

} // namespace notify::http
