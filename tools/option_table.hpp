#pragma once

#include "actors/service_config.hpp"
#include "http/config.hpp"
#include "messages/log.hpp"
#include "tools/channel_options.hpp"
#include "tools/option.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace notify {

/// The channels that a route may name, in the order of the reference. Each has a section
/// `channel-NAME` with the same options.
const std::vector<std::string>& channel_names();

/// CAF's own settings that we pass on.
struct scheduler_config {
  size_t max_threads = 0; ///< 0: one per core, at least two.
  size_t max_throughput =
      50; ///< Messages an actor handles before it gives way; CAF's is unlimited.
};

/// The actor tree for programs on the same machine.
struct inspection_config {
  uint16_t port = 0; ///< On 127.0.0.1; 0: off.
};

struct logging_config {
  log::level level = log::level::info;
  log::format format = log::format::text;
  caf::timespan repeat_interval = std::chrono::minutes{1};
};

/// What the options fill: the service's configuration and what only the program needs.
struct setting_values {
  setting_values();

  http_config http;
  inspection_config inspection;
  service_config service; ///< With all known channels; without a provider: not active.
  scheduler_config scheduler;
  logging_config logging;
  std::string postgres_password_file;
  std::string kafka_sasl_password_file;
  std::string tracing_headers_file;
  std::map<std::string, channel_secret_files> channel_secrets; ///< By channel.
};

/// Every option, bound to `values`: the one list that the readers, `--help`, `notifyd check` and
/// docs/configuration.md come from. Defaults are what `values` holds now.
option_list make_options(setting_values& values);

} // namespace notify
