#include "tools/secrets.hpp"
#include "tools/settings.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace notify {

namespace {

/// True for all but the provider of a channel that is off: they have no effect.
bool has_no_effect(const option& x, const service_config& service) {
  constexpr std::string_view prefix = "channel-";
  if (!x.section().starts_with(prefix) || x.name() == "provider")
    return false;
  return service.channels.count(x.section().substr(prefix.size())) == 0;
}

} // namespace

std::string settings::dump() const {
  std::ostringstream out;
  out << "; The settings in effect, secrets masked.\n";
  std::string section;
  for (const auto& x : options_) {
    if (has_no_effect(x, service_))
      continue;
    if (x.section() != section) {
      section = x.section();
      out << "\n[" << section << "]\n";
      for (const auto& [where, origin] : password_origins_)
        if (where == section)
          out << "; password: " << secret_mask << ", from " << origin << '\n';
    }
    out << x.name() << '=' << x.show();
    if (x.full_name() == "service.instance" && values_.service.instance.empty())
      out << " ; this process: " << service_.instance;
    if (x.full_name() == "scheduler.max-threads" && values_.scheduler.max_threads == 0)
      out << " ; here: " << caf::get_or(*this, "scheduler.max-threads", size_t{0});
    out << '\n';
  }
  return out.str();
}

std::vector<std::string> settings::changes_since(const settings& before) const {
  std::vector<std::string> result;
  for (size_t i = 0; i < options_.size(); ++i) {
    const auto& x = options_[i];
    if (has_no_effect(x, service_) && has_no_effect(x, before.service_))
      continue;
    if (x.show() != before.options_[i].show())
      result.push_back(x.full_name());
  }
  auto compare = [&](const std::string& name, const auto& now, const auto& then) {
    if (now != then && std::find(result.begin(), result.end(), name) == result.end())
      result.push_back(name);
  };
  compare("postgres.password-file", service_.postgres.password, before.service_.postgres.password);
  compare("kafka.sasl-password-file", service_.kafka.properties, before.service_.kafka.properties);
  compare("tracing.headers-file", service_.tracing.headers, before.service_.tracing.headers);
  for (const auto& [name, channel] : service_.channels) {
    auto other = before.service_.channels.find(name);
    if (other == before.service_.channels.end())
      continue; // Its provider is a change already.
    const auto& old = other->second;
    auto section = "channel-" + name + ".";
    compare(section + "smtp-password-file", channel.smtp.password, old.smtp.password);
    compare(section + "resend-key-file", channel.resend.api_key, old.resend.api_key);
    compare(section + "telegram-token-file", channel.telegram.token, old.telegram.token);
    compare(section + "webhook-secrets-file", channel.webhook.secrets, old.webhook.secrets);
  }
  return result;
}

} // namespace notify
