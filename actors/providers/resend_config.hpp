#pragma once

#include <caf/timespan.hpp>

#include <chrono>
#include <string>

namespace notify {

/// An account at Resend (resend.com).
struct resend_config {
  std::string api_url = "https://api.resend.com";
  std::string api_key;
  std::string from; ///< `shop@example.com`, or `Shop <shop@example.com>`.
  /// How long a repeated request under one key is answered without a second mail.
  caf::timespan key_lifetime = std::chrono::hours{24};
};

} // namespace notify
