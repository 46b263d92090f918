#include "http/api/mount.hpp"

#include "http/api/actors_route.hpp"
#include "http/api/ask.hpp"
#include "http/api/channels_route.hpp"
#include "http/api/openapi.hpp"
#include "http/api/operator_routes.hpp"
#include "http/api/page.hpp"
#include "http/api/stats_route.hpp"

namespace notify::http {

namespace {

void add_fixed(router& routes, const std::string& path, const std::string& type,
               std::string_view text) {
  routes.add("GET", path, access::open, [type, text](const request&, const responder& respond) {
    respond({200, type, std::string{text}, {}});
  });
}

void add_metrics_route(router& routes, const api_parts& parts) {
  auto needed = parts.metrics_need_token ? access::viewer : access::open;
  routes.add("GET", "/metrics", needed,
             [metrics = parts.metrics](const request&, const responder& respond) {
               if (!metrics)
                 return respond(error_response(503, "UNAVAILABLE", "There are no metrics."));
               answer_safely(respond, [&] {
                 return response{200, "text/plain; version=0.0.4; charset=utf-8", metrics(), {}};
               });
             });
}

} // namespace

void mount_api(router& routes, const api_parts& parts) {
  add_fixed(routes, "/", "text/html; charset=utf-8", index_page());
  add_fixed(routes, "/openapi.json", "application/json", openapi_json());
  add_health_routes(routes, parts.health);
  add_metrics_route(routes, parts);
  add_actors_route(routes, parts);
  add_channels_route(routes, parts);
  add_stats_route(routes, parts);
  add_operator_routes(routes, parts);
}

} // namespace notify::http
