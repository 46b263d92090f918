#include "http/api/desk_access.hpp"
#include "http/api/json_text.hpp"
#include "http/api/operator_json.hpp"
#include "http/api/operator_routes.hpp"
#include "http/json_body.hpp"
#include "http/query.hpp"

namespace notify::http {

namespace {

constexpr const char* noun = "DEAD_LETTER";

void list(const desk_access& desk, const request& x, const responder& respond) {
  auto query = read_query(x);
  list_dead_letters question;
  question.reason = query.text("reason", 200).value_or("");
  question.topic = query.text("topic", 249).value_or("");
  if (auto time = query.time("from"))
    question.from_us = *time;
  if (auto time = query.time("to"))
    question.to_us = *time;
  if (auto flag = query.flag("published"))
    question.published = *flag;
  if (auto flag = query.flag("replayed"))
    question.replayed = *flag;
  auto page = read_page(query);
  question.limit = page.limit;
  question.cursor = page.cursor;
  if (auto refusal = query.finish())
    return respond(std::move(*refusal));
  desk.operator()<dead_letter_page>(std::move(question), respond, noun,
                                    page_response(x, dead_letter_json));
}

void show(const desk_access& desk, const request& x, const responder& respond) {
  if (auto refusal = read_query(x).finish())
    return respond(std::move(*refusal));
  auto id = path_number(x);
  if (!id)
    return respond(bad_path_id());
  desk.operator()<dead_letter_story>(get_dead_letter{*id}, respond, noun,
                                     [](const dead_letter_story& found) {
                                       return json_response(200, dead_letter_story_json(found));
                                     });
}

void replay(const desk_access& desk, const request& x, const responder& respond) {
  auto members = read_body(x);
  auto dry_run = members.flag("dry_run").value_or(false);
  if (auto refusal = members.finish())
    return respond(std::move(*refusal));
  auto id = path_number(x);
  if (!id)
    return respond(bad_path_id());
  desk.operator()<dead_letter_replayed>(replay_dead_letter{*id, dry_run, x.who.name}, respond, noun,
                                        [](const dead_letter_replayed& done) {
                                          boost::json::object body;
                                          body["dry_run"] = done.dry_run;
                                          body["result"] = done.result;
                                          body["reason"] = json_text(done.reason);
                                          body["jobs"] = done.jobs;
                                          return json_response(200, body);
                                        });
}

} // namespace

void add_dead_letter_routes(router& routes, const api_parts& parts) {
  desk_access desk{parts};
  auto add = [&](const char* method, const char* pattern, access needed, auto run) {
    routes.add(method, pattern, needed,
               [desk, run](const request& x, const responder& respond) { run(desk, x, respond); });
  };
  add("GET", "/api/v1/dead-letters", access::viewer, list);
  add("GET", "/api/v1/dead-letters/{id}", access::viewer, show);
  add("POST", "/api/v1/dead-letters/{id}/replay", access::act, replay);
}

} // namespace notify::http
