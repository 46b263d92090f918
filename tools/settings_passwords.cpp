#include "messages/error.hpp"
#include "tools/secrets.hpp"
#include "tools/settings.hpp"

#include <algorithm>
#include <cctype>

// Where passwords come from: the environment first, then files named in the settings, then the
// configuration file itself.

namespace notify {

namespace {

/// `NOTIFYD_CHANNEL_EMAIL_SMTP_PASSWORD`, for one.
std::string variable_name(const std::string& channel, const std::string& secret) {
  auto upper = channel;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return "NOTIFYD_CHANNEL_" + upper + "_" + secret;
}

} // namespace

std::optional<std::string> settings::read_password(const std::string& option_name,
                                                   const std::string& file,
                                                   const std::string& variable,
                                                   const environment& env,
                                                   std::vector<std::string>& problems) {
  auto section = option_name.substr(0, option_name.find('.'));
  if (auto value = env(variable)) {
    password_origins_.emplace_back(section, "environment variable " + variable);
    return value;
  }
  if (file.empty())
    return std::nullopt;
  auto value = read_secret_file(file);
  if (!value) {
    problems.push_back(option_name + ": " + problem_text(value.error()));
    return std::nullopt;
  }
  password_origins_.emplace_back(section, "file " + file);
  return std::move(*value);
}

void settings::read_passwords(const environment& env, std::vector<std::string>& problems) {
  auto& database = service_.postgres;
  auto [url, in_url] = split_password(database.url);
  database.url = url;
  if (in_url && !values_.postgres_password_file.empty())
    problems.push_back("postgres.url and postgres.password-file both have a password; remove one");
  if (auto value = read_password("postgres.password-file", values_.postgres_password_file,
                                 "NOTIFYD_POSTGRES_PASSWORD", env, problems)) {
    database.password = *value;
  } else if (in_url) {
    database.password = *in_url;
  } else if (auto fallback = read_password("postgres.", {}, "PGPASSWORD", env, problems)) {
    database.password = *fallback;
  }
  if (auto value = read_password("kafka.sasl-password-file", values_.kafka_sasl_password_file,
                                 "NOTIFYD_KAFKA_SASL_PASSWORD", env, problems))
    service_.kafka.properties["sasl.password"] = *value;
  read_tracing_headers(problems);
  for (auto& [name, channel] : service_.channels)
    read_channel_secrets(name, channel, env, problems);
}

void settings::read_tracing_headers(std::vector<std::string>& problems) {
  constexpr const char* option_name = "tracing.headers-file";
  const auto& file = values_.tracing_headers_file;
  if (file.empty())
    return;
  auto lines = read_secret_lines(file);
  if (!lines) {
    problems.push_back(option_name + (": " + problem_text(lines.error())));
    return;
  }
  for (size_t i = 0; i < lines->size(); ++i) {
    const auto& line = (*lines)[i];
    auto colon = line.find(':');
    auto value = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (colon == 0 || value == std::string::npos)
      problems.push_back(option_name + (": line " + std::to_string(i + 1) + " is not NAME: VALUE"));
    else
      service_.tracing.headers.emplace_back(line.substr(0, colon), line.substr(value));
  }
  password_origins_.emplace_back("tracing", "file " + file);
}

void settings::read_channel_secrets(const std::string& name, channel_config& channel,
                                    const environment& env, std::vector<std::string>& problems) {
  const auto& files = values_.channel_secrets[name];
  auto read = [&](const std::string& option, const std::string& file, const std::string& variable,
                  std::string& out) {
    if (auto value = read_password("channel-" + name + "." + option, file,
                                   variable_name(name, variable), env, problems))
      out = *value;
  };
  read("smtp-password-file", files.smtp_password, "SMTP_PASSWORD", channel.smtp.password);
  read("resend-key-file", files.resend_key, "RESEND_KEY", channel.resend.api_key);
  read("telegram-token-file", files.telegram_token, "TELEGRAM_TOKEN", channel.telegram.token);
  read_webhook_secrets(name, channel.webhook, env, problems);
}

void settings::read_webhook_secrets(const std::string& name, webhook_config& webhook,
                                    const environment& env, std::vector<std::string>& problems) {
  auto section = "channel-" + name;
  auto variable = variable_name(name, "WEBHOOK_SECRETS");
  const auto& file = values_.channel_secrets[name].webhook_secrets;
  if (auto text = env(variable)) {
    webhook.secrets = split_words(*text);
    password_origins_.emplace_back(section, "environment variable " + variable);
  } else if (!file.empty()) {
    auto lines = read_secret_lines(file);
    if (!lines) {
      problems.push_back(section + ".webhook-secrets-file: " + problem_text(lines.error()));
      return;
    }
    webhook.secrets = std::move(*lines);
    password_origins_.emplace_back(section, "file " + file);
  }
}

caf::error settings::check_passwords() const {
  if (service_.postgres.password == secret_mask)
    return caf::make_error(ec::invalid_config,
                           std::string{"the database password is the mask ***, not a password"});
  for (const auto& [name, value] : service_.kafka.properties)
    if (is_secret_property(name) && value == secret_mask)
      return caf::make_error(ec::invalid_config,
                             "kafka.properties: " + name + " is the mask ***, not a secret");
  return caf::none;
}

} // namespace notify
