#include "http/api/actors_route.hpp"

#include "http/api/ask.hpp"
#include "http/api/json_text.hpp"
#include "http/public_text.hpp"
#include "http/query.hpp"

#include <boost/json/array.hpp>

namespace notify::http {

namespace {

boost::json::object line_json(const actor_line& x) {
  boost::json::object line;
  line["name"] = x.status.name;
  line["depth"] = x.depth;
  line["state"] = public_text(x.status.state);
  line["answered"] = x.answered;
  line["silent_ms"] = x.silent_ms;
  line["restarts"] = x.restarts;
  line["mailbox"] = x.answered ? boost::json::value(x.status.mailbox) : nullptr;
  line["processed"] = x.answered ? json_int64(x.status.processed) : nullptr;
  line["since_success_ms"] = json_age(x.status.since_success_ms);
  line["last_error"] = json_text(public_text(x.status.last_error));
  boost::json::object counters;
  for (const auto& [name, value] : x.status.counters)
    counters[name] = json_int64(value);
  line["counters"] = std::move(counters);
  return line;
}

} // namespace

boost::json::object actors_json(const actor_tree& tree) {
  boost::json::array items;
  for (const auto& x : tree.lines)
    items.push_back(line_json(x));
  boost::json::object body;
  body["items"] = std::move(items);
  return body;
}

void add_actors_route(router& routes, const api_parts& parts) {
  routes.add("GET", "/api/v1/actors", access::viewer,
             [parts](const request& x, const responder& respond) {
               if (auto refusal = read_query(x).finish())
                 return respond(std::move(*refusal));
               ask_for<actor_tree>(parts.system, parts.actors->inspector(), parts.ask_timeout,
                                   get_actors{}, respond, "ACTORS", [](const actor_tree& tree) {
                                     return json_response(200, actors_json(tree));
                                   });
             });
}

} // namespace notify::http
