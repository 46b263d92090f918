#pragma once

#include "actors/providers/answer_rule.hpp"
#include "http/client/http_exchange.hpp"
#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notify {

/// Whose answers they are.
enum class http_column : uint8_t {
  api,     ///< One provider's interface: its limits and refusals are about our account.
  webhook, ///< Somebody's endpoint: about that endpoint only, and it tells repeats by their id.
};

/// What is true of all exchanges with one provider.
struct http_profile {
  std::string provider; ///< The adapter's name.
  http_column column = http_column::api;
  bool key_is_live = false;         ///< The provider remembers this request's idempotency key.
  bool retry_refusals = true;       ///< Of webhooks: 4xx are tried again like everything else.
  std::vector<std::string> secrets; ///< Never to be seen in a detail.
};

/// What an adapter read in an answer besides its status.
struct http_reading {
  const answer_rule* rule = nullptr; ///< Decides before the status; null: the status decides.
  int status = 0;         ///< The status inside of the body, if it is the one that counts.
  std::string code;       ///< What the provider calls the error.
  std::string message_id; ///< What it calls the message.
  std::string remark;     ///< What is odd about an answer that means `sent`.
  std::optional<caf::timespan> wait; ///< A wait in the body; goes before those in headers.
};

/// Classifies by the event and how far the request got, or by the answer; pure.
///
/// The promise behind every outcome: `unknown` only if all of the request was handed to the kernel
/// and no answer said what became of it; `interrupted` only if not all of it was. Reasons are
/// stable. The detail is safe text of at most 2 KiB without secrets; of an accepted message it
/// keeps none.
outcome classify_http(const http_exchange& exchange, const http_profile& profile,
                      const http_reading& reading = {},
                      std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

} // namespace notify
