#pragma once

#include "actors/providers/answer_rule.hpp"
#include "actors/providers/http_classifier.hpp"
#include "actors/providers/http_provider.hpp"
#include "actors/providers/webhook_config.hpp"

#include <caf/expected.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace notify {

/// Signed webhooks (Standard Webhooks 1.0): the rendered text is a POST's JSON body, the recipient
/// its URL. Each attempt is signed anew, under the same id.
class webhook_dialect final : public http_dialect {
public:
  /// Checks the settings once, loudly: `ec::invalid_config` names the option.
  static caf::expected<std::shared_ptr<const webhook_dialect>> make(const webhook_config& config);

  std::string name() const override { return "webhook"; }

  std::variant<http_request, outcome>
  request_for(const send_request& x, std::chrono::system_clock::time_point now) const override;

  outcome outcome_of(const std::string& recipient, const http_exchange& x,
                     std::chrono::system_clock::time_point now) const override;

private:
  webhook_dialect(const webhook_config& config, std::vector<std::string> secrets);

  const std::vector<std::string> secrets_; ///< As bytes.
  const bool allow_http_;
  const http_profile profile_;
};

/// What receivers can say besides a status.
std::span<const answer_rule> webhook_rules();

/// A provider in this dialect, or what is wrong with its settings. The client must have the
/// settings' address filter (`make_webhook_filter`).
caf::expected<provider_ptr> make_webhook_provider(http_client_ptr client,
                                                  const webhook_config& config);

/// Which addresses the settings let webhooks connect to. `ec::invalid_config` names the option.
caf::expected<http_client::address_filter> make_webhook_filter(const webhook_config& config);

} // namespace notify
