#pragma once

#include "actors/providers/answer_rule.hpp"
#include "actors/providers/chat_migrations.hpp"
#include "actors/providers/http_classifier.hpp"
#include "actors/providers/http_provider.hpp"
#include "actors/providers/telegram_config.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace notify {

/// Messages by a Telegram bot: plain text, in which no sign is markup, and all of it or nothing.
/// The recipient is a chat's number or `@name`. The token stands in the URL and nowhere else.
class telegram_dialect final : public http_dialect {
public:
  /// Checks the settings once, loudly: `ec::invalid_config` names the option.
  static caf::expected<std::shared_ptr<const telegram_dialect>> make(const telegram_config& config);

  std::string name() const override { return "telegram"; }

  std::variant<http_request, outcome>
  request_for(const send_request& x, std::chrono::system_clock::time_point now) const override;

  outcome outcome_of(const std::string& recipient, const http_exchange& x,
                     std::chrono::system_clock::time_point now) const override;

private:
  explicit telegram_dialect(const telegram_config& config);

  void remember_migration(const std::string& recipient, int64_t moved_to,
                          http_reading& reading) const;

  const std::string url_;
  const http_profile profile_;
  /// What the answers taught about chats; the only state.
  const std::unique_ptr<chat_migrations> migrations_;
};

/// What the Bot API's answers mean. `ok:false` in JSON is what makes one of them the API's own.
std::span<const answer_rule> telegram_rules();

/// A provider in this dialect, or what is wrong with its settings.
caf::expected<provider_ptr> make_telegram_provider(http_client_ptr client,
                                                   const telegram_config& config);

} // namespace notify
