#pragma once

#include "actors/envelope.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <string_view>

namespace notify::test {

inline constexpr std::string_view paid_event = R"({
  "event_id": "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01",
  "event_type": "order.paid.v1",
  "occurred_at": "2026-09-01T16:00:00Z",
  "producer": "order-service",
  "aggregate_id": "order-77",
  "correlation_id": "3f0c7a9e-1111-4222-8333-444455556666",
  "payload": {"email": "user@example.com", "order_id": "order-77",
              "total_amount": 998000, "currency": "RUB"}
})";

inline kafka_record record_of(std::string_view value) {
  kafka_record result;
  result.topic = "orders.events.v1";
  result.partition = 3;
  result.offset = 42;
  result.value = {true, std::string{value}};
  return result;
}

/// A valid envelope around this payload's text.
inline std::string with_payload(std::string_view payload) {
  auto begin = paid_event.find("{\"email\"");
  auto end = paid_event.find('}', begin) + 1;
  std::string text{paid_event.substr(0, begin)};
  text += payload;
  text += paid_event.substr(end);
  return text;
}

/// A JSON string of this text, in which nothing needs an escape.
inline std::string json_string(std::string_view text) {
  std::string result{"\""};
  result += text;
  result += '"';
  return result;
}

/// The valid envelope with one member replaced by this JSON text; removed if the text is empty.
inline std::string with_member(std::string_view name, std::string_view json,
                               std::string_view envelope = paid_event) {
  auto root = boost::json::parse({envelope.data(), envelope.size()}).as_object();
  root.erase(name);
  if (!json.empty())
    root[name] = boost::json::parse({json.data(), json.size()});
  return boost::json::serialize(root);
}

inline std::variant<valid_event, refusal> read(std::string_view value) {
  return read_envelope(record_of(value), {});
}

/// The reason why a value is refused; empty if it is not.
inline std::string reason_of(const std::variant<valid_event, refusal>& x) {
  const auto* refused = std::get_if<refusal>(&x);
  return refused != nullptr ? to_string(refused->reason) : std::string{};
}

inline std::string reason_for(std::string_view value) {
  return reason_of(read(value));
}

} // namespace notify::test
