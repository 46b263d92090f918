#include "actors/providers/answer_body.hpp"

#include <boost/algorithm/string/predicate.hpp>
#include <boost/json/parse.hpp>

namespace notify {

namespace json = boost::json;

std::optional<json::object> json_object_of(const http_exchange& answer) {
  if (!answer.body_complete)
    return std::nullopt;
  json::error_code error;
  auto value = json::parse(answer.body, error);
  auto* object = value.if_object();
  return error || object == nullptr ? std::nullopt : std::optional{std::move(*object)};
}

std::string_view text_member(const json::object& object, std::string_view name) {
  const auto* member = object.if_contains(name);
  return member != nullptr && member->is_string() ? std::string_view{member->get_string()}
                                                  : std::string_view{};
}

std::optional<int64_t> number_member(const json::object& object, std::string_view name) {
  const auto* member = object.if_contains(name);
  return member != nullptr && member->is_int64() ? std::optional{member->get_int64()}
                                                 : std::nullopt;
}

bool is_html(const http_exchange& answer) {
  return boost::algorithm::istarts_with(answer.header("content-type"), "text/html");
}

} // namespace notify
