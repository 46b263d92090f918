#pragma once

#include "http/api/mount.hpp"
#include "messages/status.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace notify::http {

/// Adds `GET /api/v1/channels`.
void add_channels_route(router& routes, const api_parts& parts);

/// What is known of the channels at one moment. Everything but the settings may be missing.
struct channels_view {
  std::map<std::string, channel_config> configured;
  std::optional<actor_status> dispatcher;
  std::map<std::string, actor_status> clients; ///< By channel.
  std::optional<std::vector<channel_pause>> pauses;
};

/// The channels as the API shows them. What is not known is null, never 0.
boost::json::object channels_json(const channels_view& view);

} // namespace notify::http
