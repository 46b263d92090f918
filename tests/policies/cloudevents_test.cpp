#include "tests/policies/records.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using test::with_member;

constexpr std::string_view cloudevent = R"({
  "specversion": "1.0",
  "id": "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01",
  "type": "order.paid.v1",
  "time": "2026-09-01T19:00:00+03:00",
  "source": "/order-service",
  "subject": "order-77",
  "correlationid": "c-1",
  "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "datacontenttype": "application/json; charset=utf-8",
  "data": {"email": "user@example.com", "amount": 12.345}
})";

std::variant<valid_event, refusal> read(std::string_view value, const char* content_type) {
  auto record = test::record_of(value);
  if (content_type != nullptr)
    record.headers.push_back({"content-type", {true, content_type}});
  return read_envelope(record, {});
}

std::string reason_with(std::string_view name, std::string_view json) {
  return test::reason_of(read(with_member(name, json, cloudevent), nullptr));
}

TEST_CASE("a structured CloudEvent is the same envelope under other names") {
  for (auto type : {static_cast<const char*>(nullptr), "application/cloudevents+json",
                    "Application/CloudEvents+JSON; charset=UTF-8", "application/cloudevents",
                    "application/json"}) {
    auto result = read(cloudevent, type);
    REQUIRE(std::holds_alternative<valid_event>(result));
    auto& x = std::get<valid_event>(result);
    CHECK(to_string(x.data.event_id) == "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01");
    CHECK(x.data.type == "order.paid.v1");
    CHECK(x.data.occurred_at_us == 1788278400000000);
    CHECK(x.data.producer == "/order-service");
    CHECK(x.data.aggregate_id == "order-77");
    CHECK(x.data.correlation_id == "c-1");
    CHECK(x.data.payload == R"({"email": "user@example.com", "amount": 12.345})");
    CHECK(x.payload.at("email").as_string() == "user@example.com");
    CHECK(x.data.traceparent == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  }
}

TEST_CASE("the header decides about the form, then specversion") {
  CHECK(test::reason_of(read(test::paid_event, "application/cloudevents+json")) == "missing_field");
  CHECK(test::reason_of(read(test::paid_event, "application/json")).empty());
  CHECK(reason_with("specversion", "") == "missing_field");
  CHECK(test::reason_of(
            read("[" + std::string{cloudevent} + "]", "application/cloudevents-batch+json"))
        == "not_an_object");
}

TEST_CASE("K-28: minor versions of CloudEvents are read, other major ones are not") {
  CHECK(reason_with("specversion", "\"1.0\"").empty());
  CHECK(reason_with("specversion", "\"1.99\"").empty());
  CHECK(reason_with("specversion", "\"2.0\"") == "unsupported_version");
  CHECK(reason_with("specversion", "\"10.0\"") == "unsupported_version");
  CHECK(reason_with("specversion", "\"abc\"") == "unsupported_version");
  CHECK(reason_with("specversion", "1.0") == "invalid_field");
}

TEST_CASE("what CloudEvents leave open and we need is required") {
  for (auto name : {"id", "type", "time", "source", "subject", "data"})
    CHECK(reason_with(name, "") == "missing_field");
  CHECK(reason_with("id", "\"A234-1234-1234\"") == "invalid_event_id");
  CHECK(reason_with("type", "\"order.paid\"") == "invalid_event_type");
  CHECK(reason_with("type", "\"order.paid.v2\"") == "unsupported_version");
  CHECK(reason_with("time", "\"soon\"") == "invalid_time");
}

TEST_CASE("data must be a JSON object, not encoded otherwise") {
  CHECK(reason_with("data", "\"<order/>\"") == "invalid_field");
  CHECK(reason_with("data_base64", "\"e30=\"") == "invalid_field");
  CHECK(reason_with("datacontenttype", "").empty());
  CHECK(reason_with("datacontenttype", "\"application/vnd.order+json\"").empty());
  CHECK(reason_with("datacontenttype", "\"application/xml\"") == "invalid_field");
}

TEST_CASE("a trace context in a header counts more than the one in the body") {
  auto record = test::record_of(cloudevent);
  const std::string other = "00-ffffffffffffffffffffffffffffffff-b7ad6b7169203331-00";
  record.headers.push_back({"traceparent", {true, other}});
  auto result = read_envelope(record, {});
  CHECK(std::get<valid_event>(result).data.traceparent == other);
  auto odd = read(with_member("traceparent", "7", cloudevent), nullptr);
  CHECK(std::get<valid_event>(odd).data.traceparent.empty());
}

} // namespace
} // namespace notify
