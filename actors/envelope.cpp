#include "actors/envelope.hpp"

#include "actors/event_time.hpp"
#include "actors/sha256.hpp"
#include "actors/strict_json.hpp"
#include "actors/traceparent.hpp"

#include <boost/json/monotonic_resource.hpp>

#include <algorithm>

namespace notify {

namespace {

namespace json = boost::json;

/// Most bytes of an identifier: they stand in indexes and in log lines.
constexpr size_t max_field_bytes = 512;

constexpr std::string_view supported_version = "1";

/// What one form of the envelope calls its members.
struct member_names {
  std::string_view event_id;
  std::string_view event_type;
  std::string_view occurred_at;
  std::string_view producer;
  std::string_view aggregate_id;
  std::string_view correlation_id;
  std::string_view payload;
};

constexpr member_names own_names{"event_id",     "event_type",     "occurred_at", "producer",
                                 "aggregate_id", "correlation_id", "payload"};

/// `correlationid` and `traceparent` are extension attributes; their names allow no underscore.
constexpr member_names cloudevents_names{"id",      "type",          "time", "source",
                                         "subject", "correlationid", "data"};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// The value of the header `name`; nothing if it is absent, null or there more than once.
const std::string* find_header(const kafka_record& record, std::string_view name) {
  const std::string* result = nullptr;
  for (const auto& header : record.headers) {
    if (!equal_ignoring_case(header.name, name))
      continue;
    if (result != nullptr || !header.value.present)
      return nullptr;
    result = &header.value.bytes;
  }
  return result;
}

/// The media type of a header's value, without its parameters.
std::string_view media_type(std::string_view text) {
  text = text.substr(0, text.find(';'));
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

bool is_json_type(std::string_view text) {
  auto type = media_type(text);
  return equal_ignoring_case(type, "application/json") || equal_ignoring_case(type, "text/json")
         || (type.size() > 5 && equal_ignoring_case(type.substr(type.size() - 5), "+json"));
}

/// CloudEvents are told by the header (its binding's rule) or, without one, by `specversion`: a
/// body with `event_id` is ours even if it happens to have such a member.
bool is_cloudevent(const kafka_record& record, const json::object& root) {
  const auto* header = find_header(record, "content-type");
  if (header != nullptr) {
    auto type = media_type(*header);
    if (equal_ignoring_case(type, "application/cloudevents+json")
        || equal_ignoring_case(type, "application/cloudevents"))
      return true;
  }
  return root.contains("specversion") && !root.contains(own_names.event_id);
}

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

/// Takes the fields out of one parsed envelope and keeps the first thing that is wrong.
class envelope_reader {
public:
  envelope_reader(const json::object& root, const member_names& names)
      : root_(root), names_(names) {}

  bool read(event& x) {
    return read_event_id(x) && read_event_type(x) && read_time(x)
           && read_text(names_.producer, true, x.producer)
           && read_text(names_.aggregate_id, true, x.aggregate_id)
           && read_text(names_.correlation_id, false, x.correlation_id) && check_payload();
  }

  /// What the CloudEvents form has beyond our own.
  bool check_cloudevent() {
    std::string version;
    std::string content_type;
    if (!read_text("specversion", true, version)
        || !read_text("datacontenttype", false, content_type))
      return false;
    if (version != "1" && !version.starts_with("1."))
      return fail("unsupported_version", "`specversion` must be 1.0");
    if (!content_type.empty() && !is_json_type(content_type))
      return fail("invalid_field", "`datacontenttype` must be JSON");
    if (find_member(root_, "data_base64") != nullptr)
      return fail("invalid_field", "`data_base64` is not supported, only `data`");
    return true;
  }

  /// A reader that failed before still says which event it was, if that can be told.
  std::optional<uuid> event_id() const {
    const auto* member = find_member(root_, names_.event_id);
    if (member == nullptr || !member->is_string())
      return std::nullopt;
    auto result = uuid::parse(member->get_string());
    return result && !result->is_nil() ? result : std::nullopt;
  }

  refusal take_refusal() { return std::move(refusal_); }

private:
  bool fail(std::string reason, std::string detail) {
    refusal_ = {std::move(reason), std::move(detail), event_id()};
    return false;
  }

  bool fail(std::string reason, std::string_view name, std::string_view what) {
    std::string detail{"`"};
    detail += name;
    detail += "` ";
    detail += what;
    return fail(std::move(reason), std::move(detail));
  }

  /// The member's text, or the refusal `reason` if it is something else.
  bool read_string(std::string_view name, std::string reason, std::string_view& result) {
    const auto* member = find_member(root_, name);
    if (member == nullptr)
      return fail("missing_field", name, "is missing");
    if (!member->is_string())
      return fail(std::move(reason), name, "must be a string");
    result = member->get_string();
    return true;
  }

  bool read_text(std::string_view name, bool required, std::string& result) {
    if (!required && find_member(root_, name) == nullptr)
      return true;
    std::string_view text;
    if (!read_string(name, "invalid_field", text))
      return false;
    if (required && text.empty())
      return fail("invalid_field", name, "is empty");
    if (text.size() > max_field_bytes)
      return fail("invalid_field", name, "is longer than 512 bytes");
    if (has_control_character(text))
      return fail("invalid_field", name, "has control characters");
    result = text;
    return true;
  }

  bool read_event_id(event& x) {
    std::string_view text;
    if (!read_string(names_.event_id, "invalid_event_id", text))
      return false;
    auto id = event_id();
    if (!id)
      return fail("invalid_event_id", names_.event_id, "is not a UUID");
    x.event_id = *id;
    return true;
  }

  bool read_event_type(event& x) {
    std::string_view text;
    if (!read_string(names_.event_type, "invalid_event_type", text))
      return false;
    auto parts = split_type(text);
    if (text.size() > max_field_bytes || parts.version.empty())
      return fail("invalid_event_type", names_.event_type,
                  "must be a name with a major version, such as order.paid.v1");
    if (parts.version != supported_version)
      return fail("unsupported_version", names_.event_type, "has a major version other than v1");
    x.type = text;
    return true;
  }

  bool read_time(event& x) {
    std::string_view text;
    if (!read_string(names_.occurred_at, "invalid_time", text))
      return false;
    auto time = parse_event_time(text);
    if (!time)
      return fail("invalid_time", names_.occurred_at,
                  "must be an RFC 3339 time between the years 1970 and 9999");
    x.occurred_at_us = *time;
    return true;
  }

  bool check_payload() {
    const auto* member = find_member(root_, names_.payload);
    if (member == nullptr)
      return fail("missing_field", names_.payload, "is missing");
    if (!member->is_object())
      return fail("invalid_field", names_.payload, "must be an object");
    return true;
  }

  const json::object& root_;
  const member_names& names_;
  refusal refusal_;
};

std::string at_byte(std::string_view what, size_t position) {
  return std::string{what} + " at byte " + std::to_string(position);
}

refusal explain(const json_document& document, const envelope_limits& limits) {
  switch (document.fault) {
  case json_fault::too_deep:
    return {"too_deep", "nested deeper than " + std::to_string(limits.max_depth), std::nullopt};
  case json_fault::not_unicode:
    return {"not_utf8", at_byte("invalid UTF-8 or half a surrogate pair", document.position),
            std::nullopt};
  case json_fault::nul_character:
    return {"nul_character", "a string or a key has the character U+0000", std::nullopt};
  case json_fault::invalid_number:
    return {"invalid_number",
            "a number takes more than " + std::to_string(max_number_digits) + " digits",
            std::nullopt};
  case json_fault::none:
  case json_fault::syntax:
    break;
  }
  return {"not_json", at_byte("not JSON", document.position), std::nullopt};
}

std::string trace_context(const kafka_record& record, const json::object& root, bool cloudevent) {
  if (const auto* header = find_header(record, "traceparent"))
    return read_traceparent(*header);
  if (const auto* member = root.if_contains("traceparent");
      cloudevent && member != nullptr && member->is_string())
    return read_traceparent(member->get_string());
  return {};
}

std::variant<valid_event, refusal> read_object(const kafka_record& record, json::object& root,
                                               const json_document& document,
                                               const envelope_limits& limits) {
  auto cloudevent = is_cloudevent(record, root);
  const auto& names = cloudevent ? cloudevents_names : own_names;
  envelope_reader reader{root, names};
  if (document.fault != json_fault::none) {
    auto result = explain(document, limits);
    result.event_id = reader.event_id();
    return result;
  }
  event x;
  if ((cloudevent && !reader.check_cloudevent()) || !reader.read(x))
    return reader.take_refusal();
  x.traceparent = trace_context(record, root, cloudevent);
  // The producer's own text: decimals and big integers reach the database as they were sent.
  x.payload = member_text(record.value.bytes, names.payload).value();
  x.payload_sha256 = to_hex(sha256(x.payload));
  x.topic = record.topic;
  x.partition = record.partition;
  x.offset = record.offset;
  // Constructed, not assigned: an assignment would copy into another memory resource.
  return valid_event{std::move(x), std::move(root[names.payload].get_object())};
}

} // namespace

std::variant<valid_event, refusal> read_envelope(const kafka_record& record,
                                                 const envelope_limits& limits) {
  if (!record.value.present)
    return refusal{"tombstone", "the value is null", std::nullopt};
  const auto& text = record.value.bytes;
  if (text.empty())
    return refusal{"empty_value", "the value has no bytes", std::nullopt};
  if (text.size() > limits.max_value_bytes)
    return refusal{"too_large",
                   std::to_string(text.size()) + " bytes, more than "
                       + std::to_string(limits.max_value_bytes),
                   std::nullopt};
  json_options options;
  options.max_depth = limits.max_depth;
  options.storage = json::make_shared_resource<json::monotonic_resource>();
  auto document = read_json(text, options);
  if (auto* root = document.value.if_object())
    return read_object(record, *root, document, limits);
  if (document.fault != json_fault::none)
    return explain(document, limits);
  return refusal{"not_an_object", "the value is JSON but not an object", std::nullopt};
}

} // namespace notify
