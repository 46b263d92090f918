#pragma once

#include "http/api/mount.hpp"
#include "messages/stats.hpp"

#include <boost/json/object.hpp>

#include <cstdint>

namespace notify::http {

/// Adds `GET /api/v1/stats`: the collector's last figures, never a query of its own.
void add_stats_route(router& routes, const api_parts& parts);

/// The figures as the API shows them at `now_us`. What is not known is null or left out, never 0.
boost::json::object stats_json(const stats_report& report, int64_t now_us);

} // namespace notify::http
