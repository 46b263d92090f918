#include "actors/provider_factory.hpp"

#include "actors/providers/log_provider.hpp"
#include "actors/providers/resend_provider.hpp"
#include "actors/providers/smtp_provider.hpp"
#include "actors/providers/telegram_provider.hpp"
#include "actors/providers/webhook_provider.hpp"
#include "messages/error.hpp"

#include <stdexcept>
#include <utility>

namespace notify {

namespace {

template <class T>
T must(caf::expected<T> made, const channel_config& config) {
  if (!made)
    throw std::runtime_error(config.provider + " provider: " + render(made.error()));
  return std::move(*made);
}

http_client_ptr make_client(boost::asio::io_context& io, const channel_config& config,
                            http_client::address_filter filter = {}) {
  http_client_config own;
  own.ca_file = config.http.ca_file;
  own.connect_timeout = config.http.connect_timeout;
  own.max_idle = config.http.max_idle;
  own.max_idle_connections = config.slots;
  return must(http_client::make(io, own, std::move(filter)), config);
}

} // namespace

provider_ptr make_provider(boost::asio::io_context& io, const channel_config& config) {
  if (config.provider == "smtp")
    return must(smtp_provider::make(io, config.smtp), config);
  if (config.provider == "resend")
    return must(make_resend_provider(make_client(io, config), config.resend), config);
  if (config.provider == "telegram")
    return must(make_telegram_provider(make_client(io, config), config.telegram), config);
  if (config.provider == "webhook") {
    auto filter = must(make_webhook_filter(config.webhook), config);
    return must(make_webhook_provider(make_client(io, config, std::move(filter)), config.webhook),
                config);
  }
  return std::make_shared<log_provider>();
}

caf::timespan key_lifetime(const channel_config& config) {
  if (config.provider == "resend")
    return config.resend.key_lifetime;
  if (config.provider == "telegram")
    return config.telegram.key_lifetime;
  if (config.provider == "webhook")
    return config.webhook.key_lifetime;
  return caf::timespan{0};
}

} // namespace notify
