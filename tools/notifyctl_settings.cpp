#include "tools/notifyctl_settings.hpp"

#include "tools/notifyctl.hpp"

#include <array>
#include <utility>

namespace notify::ctl {

namespace {

struct override_option {
  std::string_view name;
  const char* section;
  const char* setting;
};

constexpr std::array<override_option, 4> overrides = {{
    {"brokers", "kafka", "brokers"},
    {"group", "kafka", "group"},
    {"postgres", "postgres", "url"},
    {"routes", "service", "routes-file"},
}};

} // namespace

caf::expected<std::unique_ptr<settings>> read_settings(const cli::arguments& from) {
  notify::arguments all;
  if (from.has("config"))
    all.config_file = from.at("config");
  for (const auto& x : overrides)
    if (from.has(x.name))
      all.settings.push_back({x.section, x.setting, from.at(x.name)});
  auto result = settings::load(all, process_environment());
  if (!result)
    return result.error();
  if (auto err = (*result)->check_passwords())
    return err;
  return result;
}

postgres_config database_of(const settings& x) {
  auto result = x.service().postgres;
  result.application_name = "notifyctl";
  return result;
}

std::string cluster::suffix() const {
  return " (brokers " + kafka::join_brokers(brokers) + ")";
}

cluster cluster_of(const settings& x) {
  const auto& kafka = x.service().kafka;
  return {kafka.brokers, kafka::connection_properties(kafka.properties)};
}

caf::expected<std::string> event_topic(const cli::arguments& from, const settings& x) {
  if (from.has("topic"))
    return from.at("topic");
  const auto& topics = x.service().kafka.topics;
  if (topics.size() == 1 && !topics.front().starts_with('^'))
    return topics.front();
  return refuse("the service reads several topics: say --topic=NAME");
}

} // namespace notify::ctl
