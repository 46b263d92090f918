#include "http/api/desk_access.hpp"

#include <charconv>
#include <string_view>

namespace notify::http {

page_fields read_page(fields& query) {
  page_fields page;
  page.limit = static_cast<uint32_t>(query.number("limit", 1, 200).value_or(50));
  page.cursor = query.text("cursor", 500).value_or("");
  return page;
}

boost::json::value next_link(const request& x, const std::string& cursor) {
  if (cursor.empty())
    return nullptr;
  // The client's own words, as it escaped them; a cursor needs no escaping.
  auto link = x.path + '?';
  std::string_view rest = x.query;
  while (!rest.empty()) {
    auto part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (!part.empty() && part != "cursor" && !part.starts_with("cursor="))
      link += std::string{part} + '&';
  }
  return boost::json::value(link + "cursor=" + cursor);
}

std::optional<int64_t> path_number(const request& x) {
  auto text = x.param("id");
  int64_t result = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (problem != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

response bad_path_id() {
  return error_response(400, "INVALID_REQUEST", "The id in the path is not one.");
}

} // namespace notify::http
