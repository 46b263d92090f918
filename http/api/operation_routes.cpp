#include "http/api/desk_access.hpp"
#include "http/api/filter_fields.hpp"
#include "http/api/operator_json.hpp"
#include "http/api/operator_routes.hpp"
#include "http/json_body.hpp"
#include "http/query.hpp"

namespace notify::http {

namespace {

constexpr const char* noun = "OPERATION";

response operation_response(unsigned status, const operation_line& x) {
  boost::json::object body;
  body["operation"] = operation_json(x);
  auto result = json_response(status, body);
  if (status == 202)
    result.headers.emplace_back("Location", "/api/v1/operations/" + std::to_string(x.id));
  return result;
}

response preview_response(const operation_preview& x) {
  boost::json::object body;
  body["count"] = x.count;
  body["actionable"] = x.actionable;
  body["capped"] = x.capped;
  return json_response(200, body);
}

/// Starts an operation, or only tells what it would find.
void begin(const desk_access& desk, bulk_kind kind, const request& x, const responder& respond) {
  auto body = read_body(x);
  auto members = body.nested("filter");
  auto filter = read_filter(members);
  auto preview = body.flag("preview").value_or(false);
  auto fresh = kind == bulk_kind::retry && body.choice("key", {"same", "fresh"}) == "fresh";
  if (auto refusal = body.finish())
    return respond(std::move(*refusal));
  if (auto refusal = members.finish())
    return respond(std::move(*refusal));
  if (preview)
    return desk.operator()<operation_preview>(preview_operation{kind, filter}, respond, noun,
                                              preview_response);
  desk.operator()<operation_line>(
      start_operation{kind, filter, fresh, x.who.name}, respond, noun,
      [](const operation_line& started) { return operation_response(202, started); });
}

boost::json::object skip_json(const skipped_line& x) {
  boost::json::object item;
  item["id"] = to_string(x.id);
  item["reason"] = x.reason;
  return item;
}

void list(const desk_access& desk, const request& x, const responder& respond) {
  auto query = read_query(x);
  auto page = read_page(query);
  if (auto refusal = query.finish())
    return respond(std::move(*refusal));
  desk.operator()<operation_page>(list_operations{page.limit, page.cursor}, respond, noun,
                                  page_response(x, operation_json));
}

void show(const desk_access& desk, const request& x, const responder& respond) {
  if (auto refusal = read_query(x).finish())
    return respond(std::move(*refusal));
  auto id = path_number(x);
  if (!id)
    return respond(bad_path_id());
  desk.operator()<operation_line>(
      get_operation{*id}, respond, noun,
      [](const operation_line& found) { return operation_response(200, found); });
}

void cancel(const desk_access& desk, const request& x, const responder& respond) {
  if (auto refusal = read_body(x).finish())
    return respond(std::move(*refusal));
  auto id = path_number(x);
  if (!id)
    return respond(bad_path_id());
  desk.operator()<operation_line>(
      cancel_operation{*id, x.who.name}, respond, noun,
      [](const operation_line& ended) { return operation_response(200, ended); });
}

void skipped(const desk_access& desk, const request& x, const responder& respond) {
  auto query = read_query(x);
  auto page = read_page(query);
  if (auto refusal = query.finish())
    return respond(std::move(*refusal));
  auto id = path_number(x);
  if (!id)
    return respond(bad_path_id());
  desk.operator()<skipped_page>(list_skipped{*id, page.limit, page.cursor}, respond, noun,
                                page_response(x, skip_json));
}

} // namespace

void add_operation_routes(router& routes, const api_parts& parts) {
  desk_access desk{parts};
  auto add = [&](const char* method, const char* pattern, access needed, auto run) {
    routes.add(method, pattern, needed,
               [desk, run](const request& x, const responder& respond) { run(desk, x, respond); });
  };
  auto begins = [](bulk_kind kind) {
    return [kind](const desk_access& to, const request& x, const responder& respond) {
      begin(to, kind, x, respond);
    };
  };
  add("POST", "/api/v1/notifications/retry", access::act, begins(bulk_kind::retry));
  add("POST", "/api/v1/notifications/cancel", access::act, begins(bulk_kind::cancel));
  add("GET", "/api/v1/operations", access::viewer, list);
  add("GET", "/api/v1/operations/{id}", access::viewer, show);
  add("POST", "/api/v1/operations/{id}/cancel", access::act, cancel);
  add("GET", "/api/v1/operations/{id}/skipped", access::viewer, skipped);
}

} // namespace notify::http
