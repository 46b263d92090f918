#include "http/fields.hpp"

#include "actors/event_time.hpp"
#include "messages/nearest.hpp"
#include "messages/safe_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <charconv>

namespace notify::http {

namespace {

std::optional<int64_t> read_number(std::string_view text) {
  int64_t result = 0;
  const auto* end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data(), end, result);
  if (failure != std::errc{} || stop != end)
    return std::nullopt;
  return result;
}

std::optional<int64_t> as_number(const boost::json::value& x) {
  if (const auto* text = x.if_string())
    return read_number(*text);
  if (const auto* number = x.if_int64())
    return *number;
  return std::nullopt;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const auto& x : words)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

} // namespace

fields::fields(std::string what, boost::json::object values)
    : what_(std::move(what)), values_(std::move(values)) {}

fields::fields(response refusal) : refusal_(std::move(refusal)) {}

std::optional<std::string> fields::text(std::string_view name, size_t most_bytes) {
  const auto* found = find_text(name, most_bytes);
  if (found == nullptr)
    return std::nullopt;
  if (has_control_characters(*found)) {
    refuse(name, "must not have control characters");
    return std::nullopt;
  }
  return std::string{std::string_view{*found}};
}

std::optional<std::string> fields::choice(std::string_view name,
                                          const std::vector<std::string>& choices) {
  auto result = text(name);
  if (result)
    check_choice(name, *result, choices);
  return result;
}

std::vector<std::string> fields::choices_of(std::string_view name,
                                            const std::vector<std::string>& choices) {
  std::vector<std::string> result;
  auto is_list = values_.if_contains(name) != nullptr && values_.at(name).is_array();
  if (!is_list) {
    if (auto one = choice(name, choices))
      result.push_back(std::move(*one));
    return result;
  }
  known_.emplace_back(name);
  for (const auto& x : values_.at(name).get_array()) {
    const auto* word = x.if_string();
    if (word == nullptr || word->empty()) {
      refuse(name, "must be a list of words");
      return {};
    }
    check_choice(name, *word, choices);
    std::string text{std::string_view{*word}};
    if (std::find(result.begin(), result.end(), text) == result.end())
      result.push_back(std::move(text));
  }
  return result;
}

std::optional<int64_t> fields::number(std::string_view name, int64_t low, int64_t high) {
  const auto* found = find(name);
  if (found == nullptr)
    return std::nullopt;
  auto result = as_number(*found);
  if (!result || *result < low || *result > high) {
    refuse(name, "must be an integer from " + std::to_string(low) + " to " + std::to_string(high));
    return std::nullopt;
  }
  return result;
}

std::optional<bool> fields::flag(std::string_view name) {
  const auto* found = find(name);
  if (found == nullptr)
    return std::nullopt;
  if (const auto* value = found->if_bool())
    return *value;
  const auto* word = found->if_string();
  if (word != nullptr && (*word == "true" || *word == "false"))
    return *word == "true";
  refuse(name, "must be true or false");
  return std::nullopt;
}

std::optional<int64_t> fields::time(std::string_view name) {
  const auto* found = find_text(name, 64);
  if (found == nullptr)
    return std::nullopt;
  auto result = parse_event_time(*found);
  if (!result)
    refuse(name, "must be an RFC 3339 time such as 2026-09-01T16:00:00Z; a + in a query is "
                 "written %2B");
  return result;
}

std::optional<uuid> fields::id(std::string_view name) {
  const auto* found = find_text(name, 64);
  if (found == nullptr)
    return std::nullopt;
  auto result = uuid::parse(*found);
  if (!result)
    refuse(name, "must be a UUID");
  return result;
}

fields fields::nested(std::string_view name) {
  boost::json::object members;
  if (const auto* found = find(name)) {
    if (const auto* object = found->if_object())
      members = *object;
    else
      refuse(name, "must be an object");
  }
  fields result{what_, std::move(members)};
  result.prefix_ = prefix_ + std::string{name} + ".";
  return result;
}

void fields::refuse(std::string_view name, const std::string& problem) {
  if (refusal_)
    return;
  auto full_name = prefix_ + std::string{name};
  boost::json::object details;
  details[what_] = full_name;
  refusal_ =
      error_response(400, "INVALID_REQUEST", "The " + what_ + " " + full_name + " " + problem + ".",
                     std::move(details));
}

std::optional<response> fields::finish() {
  for (const auto& member : values_) {
    if (refusal_)
      break;
    if (std::find(known_.begin(), known_.end(), member.key()) != known_.end())
      continue;
    auto name = prefix_ + safe_text(member.key(), 64);
    boost::json::object details;
    details[what_] = name;
    auto message = "There is no " + what_ + " " + name;
    if (auto near = nearest(member.key(), known_); !near.empty()) {
      details["nearest"] = prefix_ + near;
      message += ", did you mean " + prefix_ + near + "?";
    } else if (known_.empty()) {
      message += ", this takes none.";
    } else {
      message += ", known are " + joined(known_) + ".";
    }
    refusal_ = error_response(400, "INVALID_REQUEST", message, std::move(details));
  }
  return std::move(refusal_);
}

const boost::json::value* fields::find(std::string_view name) {
  known_.emplace_back(name);
  const auto* found = values_.if_contains(name);
  if (found == nullptr || !found->is_array())
    return found;
  refuse(name, what_ == "parameter" ? "is given more than once" : "must not be a list");
  return nullptr;
}

const boost::json::string* fields::find_text(std::string_view name, size_t most_bytes) {
  const auto* found = find(name);
  if (found == nullptr)
    return nullptr;
  const auto* text = found->if_string();
  if (text != nullptr && !text->empty() && text->size() <= most_bytes)
    return text;
  refuse(name, "must be text of 1 to " + std::to_string(most_bytes) + " bytes");
  return nullptr;
}

void fields::check_choice(std::string_view name, std::string_view word,
                          const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), word) != choices.end())
    return;
  auto near = nearest(word, choices);
  refuse(name, "must be one of " + joined(choices)
                   + (near.empty() ? std::string{} : "; did you mean " + near + "?"));
}

std::optional<uuid> path_id(const request& x, std::string_view name) {
  return uuid::parse(x.param(name));
}

} // namespace notify::http
