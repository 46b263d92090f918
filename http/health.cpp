#include "http/health.hpp"

#include "http/public_text.hpp"

#include <boost/json/array.hpp>

namespace notify::http {

namespace {

response answer(const char* name, bool good, const health_report& report) {
  boost::json::array checks;
  for (const auto& x : report.checks) {
    boost::json::object line;
    line["check"] = x.check;
    line["ok"] = x.ok;
    line["reason"] = public_text(x.reason);
    line["since_success_ms"] = x.since_success_ms < 0 ? boost::json::value{} : x.since_success_ms;
    checks.push_back(std::move(line));
  }
  boost::json::object body;
  body[name] = good;
  body["checks"] = std::move(checks);
  return json_response(good ? 200 : 503, body);
}

} // namespace

void add_health_routes(router& routes, health_source source) {
  routes.add("GET", "/health/live", access::open,
             [source](const request&, const responder& respond) {
               source([respond](const health_report& x) { respond(answer("live", x.live, x)); });
             });
  routes.add("GET", "/health/ready", access::open,
             [source](const request&, const responder& respond) {
               source([respond](const health_report& x) { respond(answer("ready", x.ready, x)); });
             });
}

} // namespace notify::http
