#include "http/api/desk_access.hpp"
#include "http/api/filter_fields.hpp"
#include "http/api/operator_json.hpp"
#include "http/api/operator_routes.hpp"
#include "http/json_body.hpp"
#include "http/query.hpp"

namespace notify::http {

namespace {

constexpr const char* noun = "NOTIFICATION";

void list(const desk_access& desk, const request& x, const responder& respond) {
  auto query = read_query(x);
  list_notifications question;
  question.filter = read_filter(query);
  auto page = read_page(query);
  question.limit = page.limit;
  question.cursor = page.cursor;
  if (auto refusal = query.finish())
    return respond(std::move(*refusal));
  desk.operator()<notification_page>(std::move(question), respond, noun,
                                     page_response(x, notification_json));
}

void show(const desk_access& desk, const request& x, const responder& respond) {
  if (auto refusal = read_query(x).finish())
    return respond(std::move(*refusal));
  auto id = path_id(x);
  if (!id)
    return respond(bad_path_id());
  desk.operator()<notification_story>(
      get_notification{*id}, respond, noun,
      [](const notification_story& found) { return json_response(200, story_json(found)); });
}

void show_event(const desk_access& desk, const request& x, const responder& respond) {
  if (auto refusal = read_query(x).finish())
    return respond(std::move(*refusal));
  auto id = path_id(x, "event_id");
  if (!id)
    return respond(bad_path_id());
  desk.operator()<event_story>(get_event{*id}, respond, "EVENT", [](const event_story& found) {
    return json_response(200, event_story_json(found));
  });
}

template <class Act>
void act(const desk_access& desk, Act what, const responder& respond) {
  desk.operator()<notification_acted>(
      std::move(what), respond, noun,
      [](const notification_acted& acted) { return json_response(200, acted_json(acted)); });
}

void retry(const desk_access& desk, const request& x, const responder& respond) {
  auto body = read_body(x);
  auto key = body.choice("key", {"same", "fresh"});
  if (auto refusal = body.finish())
    return respond(std::move(*refusal));
  auto id = path_id(x);
  if (!id)
    return respond(bad_path_id());
  act(desk, retry_notification{*id, key == "fresh", x.who.name}, respond);
}

void cancel(const desk_access& desk, const request& x, const responder& respond) {
  if (auto refusal = read_body(x).finish())
    return respond(std::move(*refusal));
  auto id = path_id(x);
  if (!id)
    return respond(bad_path_id());
  act(desk, cancel_notification{*id, x.who.name}, respond);
}

} // namespace

void add_notification_routes(router& routes, const api_parts& parts) {
  desk_access desk{parts};
  auto add = [&](const char* method, const char* pattern, access needed, auto run) {
    routes.add(method, pattern, needed,
               [desk, run](const request& x, const responder& respond) { run(desk, x, respond); });
  };
  add("GET", "/api/v1/notifications", access::viewer, list);
  add("GET", "/api/v1/notifications/{id}", access::viewer, show);
  add("POST", "/api/v1/notifications/{id}/retry", access::act, retry);
  add("POST", "/api/v1/notifications/{id}/cancel", access::act, cancel);
  add("GET", "/api/v1/events/{event_id}", access::viewer, show_event);
}

} // namespace notify::http
