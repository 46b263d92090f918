#include "actors/envelope.hpp"

#include "actors/envelope_reader.hpp"
#include "actors/record_headers.hpp"
#include "actors/sha256.hpp"
#include "actors/strict_json.hpp"
#include "actors/traceparent.hpp"
#include "actors/utf8.hpp"

#include <boost/json/monotonic_resource.hpp>

namespace notify {

namespace {

namespace json = boost::json;

refusal make_refusal(refusal_reason reason, std::string detail) {
  return {reason, std::move(detail), std::nullopt};
}

std::string at_byte(std::string_view what, size_t position) {
  return std::string{what} + " at byte " + std::to_string(position);
}

refusal explain(const json_document& document, const envelope_limits& limits) {
  using enum refusal_reason;
  switch (document.fault) {
  case json_fault::too_deep:
    return make_refusal(too_deep, "nested deeper than " + std::to_string(limits.max_depth));
  case json_fault::too_many_members:
    return make_refusal(too_many_members, "more than " + std::to_string(limits.max_members)
                                              + " members and list elements together");
  case json_fault::not_unicode:
    return make_refusal(not_utf8,
                        at_byte("invalid UTF-8 or half a surrogate pair", document.position));
  case json_fault::nul_character:
    return make_refusal(nul_character, "a string or a key has the character U+0000");
  case json_fault::invalid_number:
    return make_refusal(invalid_number, "a number takes more than "
                                            + std::to_string(max_number_digits) + " digits");
  case json_fault::none:
  case json_fault::syntax:
    break;
  }
  return make_refusal(not_json, at_byte("not JSON", document.position));
}

/// What can be told without looking into the value.
std::optional<refusal> check_size(const kafka_record& record, const envelope_limits& limits) {
  using enum refusal_reason;
  const auto& text = record.value.bytes;
  if (!record.value.present)
    return make_refusal(tombstone, "the value is null");
  if (text.empty())
    return make_refusal(empty_value, "the value has no bytes");
  if (text.size() > limits.max_value_bytes)
    return make_refusal(too_large, std::to_string(text.size()) + " bytes, more than "
                                       + std::to_string(limits.max_value_bytes));
  return std::nullopt;
}

json_document read_value(const kafka_record& record, const envelope_limits& limits) {
  json_options options;
  options.max_depth = limits.max_depth;
  options.max_members = limits.max_members;
  options.storage = json::make_shared_resource<json::monotonic_resource>();
  return read_json(record.value.bytes, options);
}

/// A value that is no object is as unfit as one that is no JSON.
std::optional<refusal> check_document(const json_document& document,
                                      const envelope_limits& limits) {
  if (document.fault != json_fault::none)
    return explain(document, limits);
  if (!document.value.is_object())
    return make_refusal(refusal_reason::not_an_object, "the value is JSON but not an object");
  return std::nullopt;
}

std::string trace_context(const kafka_record& record, const json::object& members,
                          bool cloudevent) {
  if (const auto* header = find_header(record, "traceparent"))
    return read_traceparent(*header);
  if (const auto* member = members.if_contains("traceparent");
      cloudevent && member != nullptr && member->is_string())
    return read_traceparent(member->get_string());
  return {};
}

/// The text of a JSON value without the white space around it.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  auto begin = text.find_first_not_of(white);
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

/// Of a valid event: the producer's own text, so that decimals and big integers reach the database
/// as they were sent; and where it came from.
void complete(event& x, const kafka_record& record, std::string_view payload) {
  x.payload = payload;
  x.payload_sha256 = to_hex(sha256(x.payload));
  x.topic = record.topic;
  x.partition = record.partition;
  x.offset = record.offset;
}

/// A header `ce_id` beside an id in the body must say the same.
std::optional<refusal> check_header_id(const kafka_record& record,
                                       const std::optional<uuid>& body_id) {
  if (!has_header(record, "ce_id"))
    return std::nullopt;
  const auto* header = find_header(record, "ce_id");
  if (header == nullptr || invalid_utf8(*header))
    return refusal{refusal_reason::invalid_header,
                   "the header `ce_id` is null, there more than once, or not UTF-8", body_id};
  if (parse_event_id(*header) != body_id)
    return refusal{refusal_reason::id_mismatch, "the header `ce_id` and the id in the body differ",
                   body_id};
  return std::nullopt;
}

using read_result = std::variant<valid_event, refusal>;

/// Our own form and the structured mode: the value is the whole event.
read_result read_whole(const kafka_record& record, envelope_form form,
                       const envelope_limits& limits) {
  auto document = read_value(record, limits);
  auto refused = check_document(document, limits);
  auto* root = document.value.if_object();
  if (root == nullptr)
    return *std::move(refused);
  // A body with `event_id` is ours even if it happens to have such a member.
  auto cloudevent = form == envelope_form::structured
                    || (root->contains("specversion") && !root->contains(own_envelope.event_id));
  const auto& names = cloudevent ? cloudevents_envelope : own_envelope;
  envelope_reader reader{*root, names};
  if (refused) {
    refused->event_id = reader.event_id();
    return *std::move(refused);
  }
  event x;
  if ((cloudevent && !reader.check_cloudevent()) || !reader.read(x))
    return reader.take_refusal();
  if (auto mismatch = check_header_id(record, x.event_id))
    return *std::move(mismatch);
  x.traceparent = trace_context(record, *root, cloudevent);
  complete(x, record, member_text(record.value.bytes, names.payload).value());
  // Constructed, not assigned: an assignment would copy into another memory resource.
  return valid_event{std::move(x), std::move((*root)[names.payload].get_object())};
}

/// CloudEvents' binary mode: headers are the attributes, the value is the data.
read_result read_binary(const kafka_record& record, const envelope_limits& limits) {
  auto attributes = read_attributes(record);
  envelope_reader reader{attributes.members, cloudevents_envelope};
  auto with_id = [&](refusal x) {
    x.event_id = reader.event_id();
    return x;
  };
  if (attributes.fault)
    return with_id(make_refusal(refusal_reason::invalid_header, *std::move(attributes.fault)));
  if (!record.value.present)
    return with_id(make_refusal(refusal_reason::missing_data,
                                "a CloudEvent in binary mode without data: the value is null"));
  if (auto refused = check_size(record, limits))
    return with_id(*std::move(refused));
  event x;
  if (!reader.check_cloudevent() || !reader.read_attributes(x))
    return reader.take_refusal();
  auto document = read_value(record, limits);
  if (auto refused = check_document(document, limits))
    return with_id(*std::move(refused));
  x.traceparent = trace_context(record, attributes.members, true);
  complete(x, record, trimmed(record.value.bytes));
  return valid_event{std::move(x), std::move(document.value.get_object())};
}

} // namespace

std::optional<uuid> parse_event_id(std::string_view text) {
  constexpr std::string_view prefix = "urn:uuid:";
  auto result = uuid::parse(starts_ignoring_case(text, prefix) ? text.substr(prefix.size()) : text);
  return result && !result->is_nil() ? result : std::nullopt;
}

std::variant<valid_event, refusal> read_envelope(const kafka_record& record,
                                                 const envelope_limits& limits) {
  auto form = form_of(record);
  if (form == envelope_form::binary)
    return read_binary(record, limits);
  if (auto refused = check_size(record, limits))
    return *std::move(refused);
  return read_whole(record, form, limits);
}

} // namespace notify
