#include "http/json_body.hpp"

#include "actors/strict_json.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>

namespace notify::http {

namespace {

/// `application/json`, with or without parameters.
bool is_json(std::string_view content_type) {
  auto end = std::min(content_type.find(';'), content_type.size());
  auto type = content_type.substr(0, end);
  while (type.ends_with(' '))
    type.remove_suffix(1);
  return boost::beast::iequals(type, "application/json");
}

} // namespace

fields read_body(const request& x) {
  if (x.body.empty())
    return {"member", {}};
  if (!is_json(x.header("Content-Type")))
    return fields{error_response(415, "UNSUPPORTED_MEDIA_TYPE",
                                 "The body must have the content type application/json.")};
  json_options limits;
  limits.max_depth = 8;
  limits.max_members = 1000;
  auto document = read_json(x.body, limits);
  if (document.fault != json_fault::none || !document.value.is_object())
    return fields{error_response(400, "INVALID_REQUEST",
                                 "The body is not a JSON object, or too large a one.")};
  return {"member", std::move(document.value.get_object())};
}

} // namespace notify::http
