#include "http/api/desk_access.hpp"
#include "http/api/operator_json.hpp"
#include "http/api/operator_routes.hpp"
#include "http/json_body.hpp"
#include "http/query.hpp"

namespace notify::http {

namespace {

void list(const desk_access& desk, const request& x, const responder& respond) {
  auto query = read_query(x);
  list_audit question;
  question.actor = query.text("actor", 200).value_or("");
  question.action = query.text("action", 200).value_or("");
  question.target = query.text("target", 200).value_or("");
  auto page = read_page(query);
  question.limit = page.limit;
  question.cursor = page.cursor;
  if (auto refusal = query.finish())
    return respond(std::move(*refusal));
  desk.operator()<audit_page>(std::move(question), respond, "AUDIT", page_response(x, audit_json));
}

void set_pause(const desk_access& desk, bool paused, const request& x, const responder& respond) {
  if (auto refusal = read_body(x).finish())
    return respond(std::move(*refusal));
  desk.operator()<channel_pause_set>(
      pause_channel{std::string{x.param("name")}, paused, x.who.name}, respond, "CHANNEL",
      [paused](const channel_pause_set& done) {
        boost::json::object body;
        body["channel"] = done.channel;
        body["paused"] = paused;
        body["changed"] = done.changed;
        return json_response(200, body);
      });
}

} // namespace

void add_audit_routes(router& routes, const api_parts& parts) {
  desk_access desk{parts};
  routes.add("GET", "/api/v1/audit", access::viewer,
             [desk](const request& x, const responder& respond) { list(desk, x, respond); });
  for (auto paused : {true, false})
    routes.add("POST", std::string{"/api/v1/channels/{name}/"} + (paused ? "pause" : "resume"),
               access::act, [desk, paused](const request& x, const responder& respond) {
                 set_pause(desk, paused, x, respond);
               });
}

pause_source desk_pauses(const api_parts& parts) {
  return [desk = desk_access{parts}](
             std::function<void(std::optional<std::vector<channel_pause>>)> done) {
    ask<pause_list>(*desk.system, desk.desks->next(), desk.timeout, get_pauses{},
                    [done = std::move(done)](const caf::expected<pause_list>& found) {
                      if (!found)
                        return done(std::nullopt);
                      std::vector<channel_pause> result;
                      for (const auto& x : found->items)
                        result.push_back({x.channel, x.paused_us, x.paused_by});
                      done(std::move(result));
                    });
  };
}

void add_operator_routes(router& routes, const api_parts& parts) {
  add_notification_routes(routes, parts);
  add_operation_routes(routes, parts);
  add_dead_letter_routes(routes, parts);
  add_audit_routes(routes, parts);
}

} // namespace notify::http
