#pragma once

#include <caf/timespan.hpp>

#include <string>

namespace notify {

/// A bot of the Telegram Bot API.
struct telegram_config {
  std::string api_url = "https://api.telegram.org";
  std::string token;
  caf::timespan key_lifetime{0}; ///< The API knows no idempotency keys.
};

} // namespace notify
