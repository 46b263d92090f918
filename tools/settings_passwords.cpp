#include "messages/error.hpp"
#include "tools/secrets.hpp"
#include "tools/settings.hpp"

#include <algorithm>
#include <cctype>

// Where passwords come from: the environment first, then files named in the settings, then the
// configuration file itself.

namespace notify {

namespace {

std::string variable_name(const std::string& channel) {
  auto upper = channel;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return "NOTIFYD_CHANNEL_" + upper + "_SMTP_PASSWORD";
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
  for (auto& [name, channel] : service_.channels)
    if (auto value =
            read_password("channel-" + name + ".smtp-password-file",
                          values_.smtp_password_files[name], variable_name(name), env, problems))
      channel.smtp.password = *value;
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
