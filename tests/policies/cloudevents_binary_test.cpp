#include "tests/policies/records.hpp"

#include "actors/sha256.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace notify {
namespace {

constexpr const char* id = "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01";
constexpr const char* other_id = "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f02";
constexpr const char* payload = R"({"email": "user@example.com", "amount": 12.345})";

using headers = std::vector<record_header>;
using read_result = std::variant<valid_event, refusal>;

record_header text(const char* name, std::string value) {
  return {name, {true, std::move(value)}};
}

kafka_record binary_event() {
  auto record = test::record_of(payload);
  record.headers = {text("ce_specversion", "1.0"),
                    text("ce_id", id),
                    text("ce_type", "order.paid.v1"),
                    text("ce_source", "/order-service"),
                    text("ce_time", "2026-09-01T19:00:00+03:00"),
                    text("ce_subject", "order-77"),
                    text("ce_correlationid", "c-1"),
                    text("content-type", "application/json; charset=utf-8")};
  return record;
}

/// The event with one header removed and another one, or none, in its place.
kafka_record with(const char* name, std::optional<nullable_bytes> value) {
  auto record = binary_event();
  std::erase_if(record.headers, [&](const auto& x) { return x.name == name; });
  if (value)
    record.headers.push_back({name, *std::move(value)});
  return record;
}

std::string reason(const kafka_record& record) {
  return test::reason_of(read_envelope(record, {}));
}

std::string reason_with(const char* name, std::string value) {
  return reason(with(name, nullable_bytes{true, std::move(value)}));
}

valid_event valid(const kafka_record& record) {
  auto result = read_envelope(record, {});
  INFO(test::reason_of(result));
  REQUIRE(std::holds_alternative<valid_event>(result));
  return std::get<valid_event>(std::move(result));
}

TEST_CASE("a binary CloudEvent has its attributes in headers and its payload as the value") {
  auto x = valid(binary_event());
  CHECK(to_string(x.data.event_id) == id);
  CHECK(x.data.type == "order.paid.v1");
  CHECK(x.data.occurred_at_us == 1788278400000000);
  CHECK(x.data.producer == "/order-service");
  CHECK(x.data.aggregate_id == "order-77");
  CHECK(x.data.correlation_id == "c-1");
  CHECK(x.data.payload == payload);
  CHECK(x.data.payload_sha256 == to_hex(sha256(payload)));
  CHECK(x.payload.at("email").as_string() == "user@example.com");
  CHECK(x.data.topic == "orders.events.v1");
  CHECK(x.data.partition == 3);
  CHECK(x.data.offset == 42);
}

TEST_CASE("white space around a binary CloudEvent's data is not part of its payload") {
  auto record = binary_event();
  record.value.bytes = std::string{" \r\n"} + payload + "\t";
  CHECK(valid(record).data.payload == payload);
}

TEST_CASE("the three forms are told apart in one order") {
  // A content type of CloudEvents comes before everything: the value is the whole event.
  auto both = with("content-type", nullable_bytes{true, "Application/CloudEvents+json"});
  CHECK(reason(both) == "missing_field");
  // Without `ce_specversion` the value is the whole event, too.
  CHECK(reason(with("ce_specversion", std::nullopt)) == "missing_field");
  // With it the value is data, even if it looks like one of our own events.
  auto record = binary_event();
  record.value.bytes = test::paid_event;
  CHECK(valid(record).payload.contains("event_id"));
  // Names of headers have no case.
  for (auto& x : record.headers)
    std::transform(x.name.begin(), x.name.end(), x.name.begin(),
                   [](unsigned char c) { return std::toupper(c); });
  CHECK(to_string(valid(record).data.event_id) == id);
  // No content type means JSON, and so does one that cannot be read.
  CHECK(reason(with("content-type", std::nullopt)).empty());
  CHECK(reason(with("content-type", nullable_bytes{})).empty());
  CHECK(reason_with("content-type", "\xFF").empty());
  CHECK(reason_with("content-type", "application/vnd.order+json").empty());
  CHECK(reason_with("content-type", "application/avro") == "invalid_field");
  CHECK(reason_with("content-type", "application/cloudevents-batch+json") == "missing_field");
}

TEST_CASE("a binary CloudEvent without data is refused as such, with its id") {
  auto record = binary_event();
  record.value = {};
  auto result = read_envelope(record, {});
  REQUIRE(test::reason_of(result) == "missing_data");
  CHECK(to_string(std::get<refusal>(result).event_id.value()) == id);
  record.value = {true, ""};
  CHECK(reason(record) == "empty_value");
}

TEST_CASE("a binary CloudEvent is held to the rules of every event") {
  for (auto name : {"ce_id", "ce_type", "ce_source", "ce_time", "ce_subject"}) {
    INFO(name);
    CHECK(reason(with(name, std::nullopt)) == "missing_field");
  }
  CHECK(reason(with("ce_correlationid", std::nullopt)).empty());
  CHECK(reason_with("ce_id", "A234-1234-1234") == "invalid_event_id");
  CHECK(reason_with("ce_id", std::string{"urn:uuid:"} + id).empty());
  CHECK(reason_with("ce_type", "order.paid") == "invalid_event_type");
  CHECK(reason_with("ce_type", "order.paid.v2") == "unsupported_version");
  CHECK(reason_with("ce_specversion", "2.0") == "unsupported_version");
  CHECK(reason_with("ce_specversion", "1.99").empty());
  CHECK(reason_with("ce_specversion", "abc") == "unsupported_version");
  CHECK(reason_with("ce_time", "soon") == "invalid_time");
  CHECK(reason_with("ce_source", "") == "invalid_field");
  CHECK(reason_with("ce_subject", std::string(513, 'x')) == "invalid_field");
  CHECK(reason_with("ce_subject", std::string{"a\0b", 3}) == "invalid_field");
  for (const auto& [value, wanted] : std::initializer_list<std::pair<std::string, std::string>>{
           {"[1]", "not_an_object"},
           {"{", "not_json"},
           {"\"\xFF\"", "not_utf8"},
           {R"({"a":"\u0000"})", "nul_character"},
           {R"({"a":1e400000})", "invalid_number"},
           {std::string(1'100'000, ' '), "too_large"}}) {
    auto record = binary_event();
    record.value.bytes = value;
    auto result = read_envelope(record, {});
    CHECK(test::reason_of(result) == wanted);
    CHECK(std::get<refusal>(result).event_id.has_value());
  }
}

TEST_CASE("K-22: a `ce_` header that is null, repeated or not UTF-8 is refused by its name") {
  for (auto name : {"ce_id", "ce_type", "ce_specversion", "ce_unknown"}) {
    for (const auto& bad : {nullable_bytes{}, nullable_bytes{true, "\xC3\x28"}}) {
      auto result = read_envelope(with(name, bad), {});
      REQUIRE(test::reason_of(result) == "invalid_header");
      CHECK_THAT(std::get<refusal>(result).detail, Catch::Contains(name));
    }
    auto twice = with(name, nullable_bytes{true, "1.0"});
    twice.headers.push_back(text(name, "1.0"));
    CHECK(reason(twice) == "invalid_header");
  }
  CHECK(reason_with("ce_\xFF", "x") == "invalid_header");
}

TEST_CASE("K-22: other headers never matter to a binary CloudEvent") {
  auto record = binary_event();
  record.headers.push_back({"", {true, "\xFF"}});
  record.headers.push_back({"x", {}});
  record.headers.push_back({"traceparent", {true, "\xC3\x28"}});
  for (int i = 0; i < 200; ++i)
    record.headers.push_back({"y", {true, std::string(1000, '\0')}});
  CHECK(reason(record).empty());
  // A header cannot bring the data.
  CHECK(reason_with("ce_data", "{}").empty());
  CHECK(valid(with("ce_data", nullable_bytes{true, "{}"})).data.payload == payload);
}

TEST_CASE("an id in a header and another one in the body are a mismatch") {
  auto ours = test::record_of(test::paid_event);
  ours.headers = {text("ce_id", id)};
  CHECK(reason(ours).empty());
  ours.headers = {text("ce_id", "{0191F8A0B1C27D3E8F4A5B6C7D8E9F01}")};
  CHECK(reason(ours).empty());
  for (auto wrong : {other_id, "77", ""}) {
    ours.headers = {text("ce_id", wrong)};
    auto result = read_envelope(ours, {});
    CHECK(test::reason_of(result) == "id_mismatch");
    CHECK(to_string(std::get<refusal>(result).event_id.value()) == id);
  }
  ours.headers = {text("ce_id", id), text("ce_id", id)};
  CHECK(reason(ours) == "invalid_header");
  ours.headers = {{"ce_id", {}}};
  CHECK(reason(ours) == "invalid_header");
  ours.headers = {text("ce_id", "\xFF")};
  CHECK(reason(ours) == "invalid_header");

  auto structured =
      test::record_of(R"({"specversion":"1.0","type":"order.paid.v1","id":")" + std::string{id}
                      + R"(","time":"2026-09-01T16:00:00Z","source":"s",)"
                        R"("subject":"o","data":{}})");
  structured.headers = {text("content-type", "application/cloudevents+json"),
                        text("ce_id", other_id)};
  CHECK(reason(structured) == "id_mismatch");
  structured.headers.pop_back();
  CHECK(reason(structured).empty());
}

TEST_CASE("a binary CloudEvent's trace context may be a header or an attribute") {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  auto record = with("ce_traceparent", nullable_bytes{true, trace});
  CHECK(valid(record).data.traceparent == trace);
  auto header = "00-ffffffffffffffffffffffffffffffff-b7ad6b7169203331-00";
  record.headers.push_back(text("traceparent", header));
  CHECK(valid(record).data.traceparent == header);
}

} // namespace
} // namespace notify
