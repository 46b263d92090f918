#pragma once

#include "actors/providers/answer_rule.hpp"
#include "actors/providers/http_classifier.hpp"
#include "actors/providers/http_provider.hpp"
#include "actors/providers/resend_config.hpp"

#include <caf/expected.hpp>

#include <memory>
#include <span>
#include <string>

namespace notify {

/// Mail by Resend's API: one recipient for each request, never a batch, whose items could fail one
/// by one. A repeated request under one key is answered without a second mail, as long as its body
/// is the same, byte for byte.
class resend_dialect final : public http_dialect {
public:
  /// Checks the settings once, loudly: `ec::invalid_config` names the option.
  static caf::expected<std::shared_ptr<const resend_dialect>> make(const resend_config& config);

  std::string name() const override { return "resend"; }

  std::variant<http_request, outcome>
  request_for(const send_request& x, std::chrono::system_clock::time_point now) const override;

  outcome outcome_of(const std::string& recipient, const http_exchange& x,
                     std::chrono::system_clock::time_point now) const override;

private:
  explicit resend_dialect(const resend_config& config);

  const resend_config config_;
  const http_profile profile_;
};

/// What Resend's error names mean. Their statuses have changed over time, the names have not.
std::span<const answer_rule> resend_rules();

/// A provider in this dialect, or what is wrong with its settings.
caf::expected<provider_ptr> make_resend_provider(http_client_ptr client,
                                                 const resend_config& config);

} // namespace notify
