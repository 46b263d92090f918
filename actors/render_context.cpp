#include "actors/render_context.hpp"

#include "actors/event_time.hpp"
#include "actors/money.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace notify {

namespace {

namespace json = boost::json;
using data = kainjow::mustache::data;

data to_data(const json::value& x) {
  if (const auto* text = x.if_string())
    return data{std::string{std::string_view{*text}}};
  if (const auto* list = x.if_array()) {
    data result{data::type::list};
    for (const auto& item : *list)
      result.push_back(to_data(item));
    return result;
  }
  if (const auto* object = x.if_object()) {
    data result{data::type::object};
    for (const auto& member : *object) {
      // Null is the same as absent.
      if (!member.value().is_null())
        result[std::string{std::string_view{member.key()}}] = to_data(member.value());
    }
    return result;
  }
  return data{x.is_bool() && x.get_bool()};
}

/// Follows the rest of a dotted path.
const data* descend(const data* from, std::string_view path) {
  while (from != nullptr && !path.empty()) {
    auto dot = path.find('.');
    from = from->get(std::string{path.substr(0, dot)});
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return from;
}

std::string_view text_of(const json::object& payload, std::string_view name) {
  const auto* member = payload.if_contains(name);
  return member != nullptr && member->is_string() ? std::string_view{member->get_string()}
                                                  : std::string_view{};
}

} // namespace

const data* render_context::get(const std::string& name) const {
  static const data line_break{"\n"};
  static const data absent{false};
  static const data yes{"true"};
  static const data no{"false"};
  if (name == line_break_name)
    return &line_break;
  if (name.starts_with(section_mark)) {
    const auto* found = find(std::string_view{name}.substr(1));
    auto nothing = found == nullptr || (found->is_string() && found->string_value().empty());
    return nothing ? &absent : found;
  }
  const auto* found = find(name);
  if (found == nullptr)
    return complain(name, name == "amount" ? "needs an integer `total_amount` and a `currency`"
                                           : "is missing");
  if (found->is_bool())
    return found->is_true() ? &yes : &no;
  if (!found->is_string())
    return complain(name, "is an object or a list");
  return found;
}

const data* render_context::find(std::string_view path) const {
  if (path == ".")
    return frames_.empty() ? nullptr : frames_.back();
  auto dot = path.find('.');
  auto first = path.substr(0, dot);
  auto rest = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  std::string key{first};
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (const auto* found = (*frame)->get(key))
      return descend(found, rest);
  }
  return descend(find_root(first), rest);
}

const data* render_context::find_root(std::string_view name) const {
  if (auto known = roots_.find(name); known != roots_.end())
    return &known->second;
  data made;
  if (!make_root(name, made))
    return nullptr;
  return &roots_.emplace(name, std::move(made)).first->second;
}

bool render_context::make_root(std::string_view name, data& result) const {
  if (name == "event_id") {
    result = data{to_string(job_.event_id)};
  } else if (name == "event_type") {
    result = data{job_.event_type};
  } else if (name == "occurred_at") {
    result = data{format_event_time(job_.occurred_at_us)};
  } else if (name == "amount") {
    return make_amount(result);
  } else {
    const auto* member = payload_.if_contains(name);
    if (member == nullptr || member->is_null())
      return false;
    result = to_data(*member);
  }
  return true;
}

bool render_context::make_amount(data& result) const {
  auto amount =
      format_amount(text_of(payload_, "total_amount"), text_of(payload_, "currency"), language_);
  if (!amount)
    return false;
  result = data{*amount};
  return true;
}

const data* render_context::complain(const std::string& name, std::string_view what) const {
  if (problem_.empty()) {
    problem_ = "variable `" + name + "` ";
    problem_ += what;
  }
  return nullptr;
}

} // namespace notify
