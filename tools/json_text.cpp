#include "tools/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>

namespace notify {

namespace json = boost::json;

namespace {

std::string number_text(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.10g", x);
  return buffer;
}

} // namespace

const json::value& member(const json::value& object, std::string_view name) {
  static const json::value null;
  const auto* members = object.if_object();
  const auto* found = members != nullptr ? members->if_contains(name) : nullptr;
  return found != nullptr ? *found : null;
}

const json::array& items_of(const json::value& list) {
  static const json::array none;
  const auto* items = list.if_array();
  return items != nullptr ? *items : none;
}

std::string shown(const json::value& x) {
  switch (x.kind()) {
  case json::kind::null:
    return "-";
  case json::kind::bool_:
    return x.get_bool() ? "yes" : "no";
  case json::kind::int64:
    return std::to_string(x.get_int64());
  case json::kind::uint64:
    return std::to_string(x.get_uint64());
  case json::kind::double_:
    return number_text(x.get_double());
  case json::kind::string:
    return x.get_string().empty() ? "-" : std::string{std::string_view{x.get_string()}};
  default:
    return json::serialize(x);
  }
}

std::string shown(const json::value& object, std::string_view name) {
  return shown(member(object, name));
}

std::string shown_time(const json::value& object, std::string_view name) {
  constexpr size_t to_the_second = 19;
  auto result = shown(object, name);
  if (result.size() > to_the_second && result.back() == 'Z')
    return result.substr(0, to_the_second) + "Z";
  return result;
}

std::string shown_members(const json::value& object) {
  std::string result;
  if (const auto* members = object.if_object())
    for (const auto& [name, value] : *members)
      result += (result.empty() ? "" : ", ") + std::string{name} + " " + shown(value);
  return result;
}

std::string text_of(const json::value& object, std::string_view name) {
  const auto* text = member(object, name).if_string();
  return text != nullptr ? std::string{std::string_view{*text}} : std::string{};
}

} // namespace notify
