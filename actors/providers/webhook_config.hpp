#pragma once

#include <caf/timespan.hpp>

#include <string>
#include <vector>

namespace notify {

/// Signed webhooks (Standard Webhooks 1.0) to endpoints that the recipients name.
struct webhook_config {
  /// Each `whsec_` and the base64 of 24 to 64 bytes. All of them sign, so that receivers can move
  /// from one to the next.
  std::vector<std::string> secrets;
  bool allow_http = false;    ///< Endpoints without TLS too.
  bool allow_private = false; ///< Addresses of private networks and of this machine too.
  std::vector<std::string> allowed_networks; ///< And these in any case, e.g. `10.1.0.0/16`.
  bool retry_refusals = true;    ///< 4xx are tried again too; most are mended by the receiver.
  caf::timespan key_lifetime{0}; ///< Whether and how long receivers remember ids is theirs.
};

} // namespace notify
