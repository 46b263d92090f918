#pragma once

#include "http/router.hpp"
#include "messages/health.hpp"

#include <functional>

namespace notify::http {

/// Asks the service how it is and hands the report to the callback, on any thread, without
/// blocking the caller.
using health_source = std::function<void(std::function<void(health_report)>)>;

/// Adds `GET /health/live` and `GET /health/ready`: 200 or 503, with every check, its reason, and
/// how long ago its loop last did its work.
void add_health_routes(router& routes, health_source source);

} // namespace notify::http
