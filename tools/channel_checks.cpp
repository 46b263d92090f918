#include "tools/channel_checks.hpp"

#include "actors/providers/resend_provider.hpp"
#include "actors/providers/telegram_provider.hpp"
#include "actors/providers/webhook_provider.hpp"
#include "messages/error.hpp"
#include "tools/settings.hpp"

#include <string>

namespace notify {

namespace {

template <class T>
caf::error error_of(caf::expected<T> made) {
  return made ? caf::error{} : std::move(made.error());
}

caf::error check_webhook(const webhook_config& x) {
  if (auto err = error_of(make_webhook_filter(x)))
    return err;
  return error_of(webhook_dialect::make(x));
}

caf::error check_outbound_http(const outbound_http_config& x) {
  boost::asio::io_context io;
  http_client_config probe;
  probe.ca_file = x.ca_file;
  if (auto client = http_client::make(io, probe); !client)
    return caf::make_error(ec::invalid_config, "http-" + problem_text(client.error()));
  return caf::none;
}

caf::error check_tracing(const tracing_config& x) {
  boost::asio::io_context io;
  http_client_config probe;
  probe.ca_file = x.ca_file;
  if (auto client = http_client::make(io, probe); !client)
    return caf::make_error(ec::invalid_config, "tracing." + problem_text(client.error()));
  return caf::none;
}

caf::error check_channel(const channel_config& x) {
  caf::error result;
  if (x.provider == "resend")
    result = error_of(resend_dialect::make(x.resend));
  else if (x.provider == "telegram")
    result = error_of(telegram_dialect::make(x.telegram));
  else if (x.provider == "webhook")
    result = check_webhook(x.webhook);
  else
    return result;
  return result ? result : check_outbound_http(x.http);
}

} // namespace

caf::error check_channels(const service_config& config) {
  std::string problems;
  if (config.roles.deliver)
    for (const auto& [name, channel] : config.channels)
      if (auto err = check_channel(channel))
        problems += (problems.empty() ? "channel-" : "\nchannel-") + name + "." + problem_text(err);
  if (auto err = check_tracing(config.tracing))
    problems += (problems.empty() ? "" : "\n") + problem_text(err);
  return problems.empty() ? caf::none : caf::make_error(ec::invalid_config, problems);
}

} // namespace notify
