#pragma once

#include "http/config.hpp"
#include "http/rate_window.hpp"
#include "http/router.hpp"
#include "http/token_list.hpp"

#include <caf/expected.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

namespace notify::http {

/// Lets requests in by their bearer token, or everybody where `http.auth` is `none`.
///
/// - No token, or one that is not known: 401. A role that is too small: 403.
/// - More than ten unknown tokens a minute from one address: 429 for further unknown ones. A known
///   token is let in all the same: behind a proxy many clients share an address, and tokens of 256
///   bits cannot be guessed at any rate.
/// - A request that changes something and comes from a page of another site is refused (403), with
///   or without a token. Without tokens the Host header must name this machine, or a page of
///   another site could reach it under a name of its own.
///
/// Refused acts are logged, of each address at most ten a minute. Thread-safe.
class gatekeeper {
public:
  gatekeeper(http_auth mode, token_list tokens,
             std::function<rate_window::clock::time_point()> now = rate_window::clock::now);

  /// Fills `x.who`, or answers with the refusal.
  std::optional<response> decide(request& x, access needed);

  /// Goes by these from the next request on. False if they are the same as before.
  bool replace_tokens(token_list tokens);

private:
  std::optional<response> judge(request& x, access needed);
  std::optional<response> judge_token(request& x, access needed);
  response unknown_token(const request& x);
  void log_refusal(const request& x, unsigned status);

  http_auth mode_;
  std::atomic<std::shared_ptr<const token_list>> tokens_;
  rate_window failures_;
  rate_window log_lines_;
};

/// The tokens that the settings name; none for `http.auth=none`. Fails with `ec::invalid_config`,
/// also if there is no login at all at an address that others reach.
caf::expected<token_list> read_tokens(const http_config& config);

/// A gatekeeper by the settings: reads the tokens, and warns of what is open or closed by them.
/// Fails with `ec::invalid_config`.
caf::expected<std::shared_ptr<gatekeeper>> make_gatekeeper(const http_config& config);

/// True for 127.0.0.0/8 and ::1.
bool is_loopback(const std::string& address);

} // namespace notify::http
