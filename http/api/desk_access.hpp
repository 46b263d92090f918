#pragma once

#include "actors/operator_desk.hpp"
#include "http/api/ask.hpp"
#include "http/api/mount.hpp"
#include "http/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace notify::http {

/// How routes reach the operators' desks.
struct desk_access {
  explicit desk_access(const api_parts& parts)
      : system(&parts.system), desks(std::make_shared<operator_desks>(parts.actors)),
        timeout(parts.ask_timeout) {}

  caf::actor_system* system;
  std::shared_ptr<operator_desks> desks;
  caf::timespan timeout;

  /// Asks the next desk; see `ask_for`.
  template <class Reply, class Message, class Render>
  void operator()(Message message, responder respond, std::string noun, Render render) const {
    ask_for<Reply>(*system, desks->next(), timeout, std::move(message), std::move(respond),
                   std::move(noun), std::move(render));
  }
};

/// What a list's query says about its page.
struct page_fields {
  uint32_t limit = 50;
  std::string cursor;
};

page_fields read_page(fields& query);

/// Path and query of the next page, as the client asked for this one; null if there is none.
boost::json::value next_link(const request& x, const std::string& cursor);

/// Makes the answer of a list from a desk's page: its items, each made by `to_json`, and the next
/// page's link.
template <class ToJson>
auto page_response(const request& x, ToJson to_json) {
  return [x, to_json](const auto& found) {
    boost::json::array items;
    for (const auto& line : found.items)
      items.push_back(to_json(line));
    boost::json::object body;
    body["items"] = std::move(items);
    body["next"] = next_link(x, found.next);
    return json_response(200, body);
  };
}

/// A 64-bit id in the path; nothing if it is not one.
std::optional<int64_t> path_number(const request& x);

/// The refusal of an id in the path that is not one.
response bad_path_id();

} // namespace notify::http
