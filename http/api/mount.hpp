#pragma once

#include "actors/directory.hpp"
#include "actors/service_config.hpp"
#include "http/health.hpp"
#include "http/router.hpp"

#include <caf/actor_system.hpp>
#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace notify::http {

/// A channel that an operator has paused in all processes.
struct channel_pause {
  std::string channel;
  int64_t since_us = 0; ///< Microseconds since 1970, UTC.
  std::string by;
};

/// Finds out which channels are paused and hands it to the callback, on any thread; nothing if it
/// is not known. Blocks nobody.
using pause_source =
    std::function<void(std::function<void(std::optional<std::vector<channel_pause>>)>)>;

/// What the routes draw on.
struct api_parts {
  caf::actor_system& system;
  directory_ptr actors;
  std::map<std::string, channel_config> channels; ///< Those that are active here.
  health_source health;
  std::function<std::string()> metrics; ///< In Prometheus' text format; empty: there are none.
  pause_source pauses;                  ///< Empty: not known.
  bool metrics_need_token = false;
  /// For an actor to answer; below the server's own answer time-out.
  caf::timespan ask_timeout = std::chrono::seconds{4};
};

/// Adds every route of the service. The description of all of them is http/openapi.yaml; a test
/// holds both against each other.
void mount_api(router& routes, const api_parts& parts);

} // namespace notify::http
