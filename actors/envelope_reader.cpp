#include "actors/envelope_reader.hpp"

#include "actors/event_time.hpp"
#include "actors/record_headers.hpp"

#include <algorithm>

namespace notify {

namespace {

namespace json = boost::json;

/// Most bytes of an identifier: they stand in indexes and in log lines.
constexpr size_t max_field_bytes = 512;

constexpr std::string_view supported_version = "1";

const json::value* find_member(const json::object& root, std::string_view name) {
  const auto* member = root.if_contains(name);
  return member == nullptr || member->is_null() ? nullptr : member;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

/// Splits `order.paid.v1` into its name and its version's digits; empty digits if it is not one.
struct type_parts {
  std::string_view name;
  std::string_view version;
};

type_parts split_type(std::string_view type) {
  auto dot = type.rfind(".v");
  if (dot == std::string_view::npos || dot == 0)
    return {};
  auto digits = type.substr(dot + 2);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos
      || (digits.size() > 1 && digits.front() == '0'))
    return {};
  auto name = type.substr(0, dot);
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name.find_first_not_of(allowed) != std::string_view::npos || name.front() == '.'
      || name.back() == '.' || name.find("..") != std::string_view::npos)
    return {};
  return {name, digits};
}

} // namespace

bool envelope_reader::read_attributes(event& x) {
  return read_event_id(x) && read_event_type(x) && read_time(x)
         && read_text(names_.producer, true, x.producer)
         && read_text(names_.aggregate_id, true, x.aggregate_id)
         && read_text(names_.correlation_id, false, x.correlation_id);
}

bool envelope_reader::check_cloudevent() {
  std::string version;
  std::string content_type;
  if (!read_text("specversion", true, version)
      || !read_text("datacontenttype", false, content_type))
    return false;
  if (version != "1" && !version.starts_with("1."))
    return fail(refusal_reason::unsupported_version, "`specversion` must be 1.0");
  if (!content_type.empty() && !is_json_type(content_type))
    return fail(refusal_reason::invalid_field, "`datacontenttype` must be JSON");
  if (find_member(root_, "data_base64") != nullptr)
    return fail(refusal_reason::invalid_field, "`data_base64` is not supported, only `data`");
  return true;
}

std::optional<uuid> envelope_reader::event_id() const {
  const auto* member = find_member(root_, names_.event_id);
  if (member == nullptr || !member->is_string())
    return std::nullopt;
  return parse_event_id(member->get_string());
}

bool envelope_reader::fail(refusal_reason reason, std::string detail) {
  refusal_ = {reason, std::move(detail), event_id()};
  return false;
}

bool envelope_reader::fail(refusal_reason reason, std::string_view name, std::string_view what) {
  std::string detail{"`"};
  detail += name;
  detail += "` ";
  detail += what;
  return fail(reason, std::move(detail));
}

bool envelope_reader::read_string(std::string_view name, refusal_reason reason,
                                  std::string_view& result) {
  const auto* member = find_member(root_, name);
  if (member == nullptr)
    return fail(refusal_reason::missing_field, name, "is missing");
  if (!member->is_string())
    return fail(reason, name, "must be a string");
  result = member->get_string();
  return true;
}

bool envelope_reader::read_text(std::string_view name, bool required, std::string& result) {
  if (!required && find_member(root_, name) == nullptr)
    return true;
  std::string_view text;
  if (!read_string(name, refusal_reason::invalid_field, text))
    return false;
  if (required && text.empty())
    return fail(refusal_reason::invalid_field, name, "is empty");
  if (text.size() > max_field_bytes)
    return fail(refusal_reason::invalid_field, name, "is longer than 512 bytes");
  if (has_control_character(text))
    return fail(refusal_reason::invalid_field, name, "has control characters");
  result = text;
  return true;
}

bool envelope_reader::read_event_id(event& x) {
  std::string_view text;
  if (!read_string(names_.event_id, refusal_reason::invalid_event_id, text))
    return false;
  auto id = event_id();
  if (!id)
    return fail(refusal_reason::invalid_event_id, names_.event_id, "is not a UUID");
  x.event_id = *id;
  return true;
}

bool envelope_reader::read_event_type(event& x) {
  std::string_view text;
  if (!read_string(names_.event_type, refusal_reason::invalid_event_type, text))
    return false;
  auto parts = split_type(text);
  if (text.size() > max_field_bytes || parts.version.empty())
    return fail(refusal_reason::invalid_event_type, names_.event_type,
                "must be a name with a major version, such as order.paid.v1");
  if (parts.version != supported_version)
    return fail(refusal_reason::unsupported_version, names_.event_type,
                "has a major version other than v1");
  x.type = text;
  return true;
}

bool envelope_reader::read_time(event& x) {
  std::string_view text;
  if (!read_string(names_.occurred_at, refusal_reason::invalid_time, text))
    return false;
  auto time = parse_event_time(text);
  if (!time)
    return fail(refusal_reason::invalid_time, names_.occurred_at,
                "must be an RFC 3339 time between the years 1970 and 9999");
  x.occurred_at_us = *time;
  return true;
}

bool envelope_reader::check_payload() {
  const auto* member = find_member(root_, names_.payload);
  if (member == nullptr)
    return fail(refusal_reason::missing_field, names_.payload, "is missing");
  if (!member->is_object())
    return fail(refusal_reason::invalid_field, names_.payload, "must be an object");
  return true;
}

} // namespace notify
