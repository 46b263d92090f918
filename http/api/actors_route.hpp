#pragma once

#include "http/api/mount.hpp"
#include "messages/status.hpp"

#include <boost/json/object.hpp>

namespace notify::http {

/// Adds `GET /api/v1/actors`.
void add_actors_route(router& routes, const api_parts& parts);

/// The tree as the API shows it. What an actor that did not answer would have said is null, not 0.
boost::json::object actors_json(const actor_tree& tree);

} // namespace notify::http
