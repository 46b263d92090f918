#include "tests/policies/records.hpp"

#include "actors/sha256.hpp"

#include <catch2/catch.hpp>

#include <utility>

namespace notify {
namespace {

using test::json_string;
using test::read;
using test::reason_for;
using test::with_member;

const uuid paid_id = uuid::parse("0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01").value();

event valid(std::string_view value) {
  auto result = read(value);
  INFO(test::reason_of(result));
  REQUIRE(std::holds_alternative<valid_event>(result));
  return std::get<valid_event>(result).data;
}

refusal refused(std::string_view value) {
  auto result = read(value);
  REQUIRE(std::holds_alternative<refusal>(result));
  return std::get<refusal>(result);
}

TEST_CASE("a valid envelope gives every field of the event") {
  auto x = valid(test::paid_event);
  CHECK(x.event_id == paid_id);
  CHECK(x.type == "order.paid.v1");
  CHECK(x.producer == "order-service");
  CHECK(x.aggregate_id == "order-77");
  CHECK(x.correlation_id == "3f0c7a9e-1111-4222-8333-444455556666");
  CHECK(x.occurred_at_us == 1788278400000000);
  CHECK(x.traceparent.empty());
  CHECK(x.topic == "orders.events.v1");
  CHECK(x.partition == 3);
  CHECK(x.offset == 42);
  CHECK(x.payload_sha256 == to_hex(sha256(x.payload)));
}

TEST_CASE("the payload comes along parsed and as its own text") {
  auto result = read(test::paid_event);
  auto& x = std::get<valid_event>(result);
  CHECK(x.payload.at("total_amount").as_int64() == 998000);
  CHECK(x.data.payload.front() == '{');
  CHECK(x.data.payload.back() == '}');
  CHECK(std::string{test::paid_event}.find(x.data.payload) != std::string::npos);
  CHECK(boost::json::parse(x.data.payload).as_object() == x.payload);
}

TEST_CASE("K-28: unknown members are ignored") {
  CHECK(valid(with_member("schema_minor", "7")).event_id == paid_id);
  CHECK(valid(with_member("specversion", "\"9.9\"")).event_id == paid_id);
}

TEST_CASE("each required member is missed by its name") {
  for (auto name :
       {"event_id", "event_type", "occurred_at", "producer", "aggregate_id", "payload"}) {
    for (auto json : {"", "null"}) {
      auto x = refused(with_member(name, json));
      CHECK(x.reason == refusal_reason::missing_field);
      CHECK_THAT(x.detail, Catch::Contains(name) && Catch::EndsWith("` is missing"));
      CHECK(x.event_id.has_value() == (std::string_view{name} != "event_id"));
    }
  }
}

TEST_CASE("the correlation id may be missing") {
  CHECK(valid(with_member("correlation_id", "")).correlation_id.empty());
  CHECK(valid(with_member("correlation_id", "null")).correlation_id.empty());
  CHECK(valid(with_member("correlation_id", "\"\"")).correlation_id.empty());
}

TEST_CASE("a member of the wrong kind is refused for its own reason") {
  for (auto json : {"7", "true", "[]", "{}", "1.5"}) {
    CHECK(reason_for(with_member("event_id", json)) == "invalid_event_id");
    CHECK(reason_for(with_member("event_type", json)) == "invalid_event_type");
    CHECK(reason_for(with_member("occurred_at", json)) == "invalid_time");
    CHECK(reason_for(with_member("producer", json)) == "invalid_field");
    CHECK(reason_for(with_member("aggregate_id", json)) == "invalid_field");
    CHECK(reason_for(with_member("correlation_id", json)) == "invalid_field");
  }
  for (auto json : {"7", "true", "[]", "\"{}\""})
    CHECK(reason_for(with_member("payload", json)) == "invalid_field");
}

TEST_CASE("an event id is a UUID in any form that PostgreSQL reads, or a URN") {
  for (auto json :
       {"\"0191F8A0-B1C2-7D3E-8F4A-5B6C7D8E9F01\"", "\"{0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01}\"",
        "\"0191f8a0b1c27d3e8f4a5b6c7d8e9f01\"", "\"urn:uuid:0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01\"",
        "\"URN:UUID:0191F8A0-B1C2-7D3E-8F4A-5B6C7D8E9F01\""})
    CHECK(valid(with_member("event_id", json)).event_id == paid_id);
  for (auto json : {"\"\"", "\"77\"", "\"order-77\"", "\"0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f0\"",
                    "\" 0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01\"", "\"urn:uuid:\"",
                    "\"urn:oid:0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01\"",
                    "\"urn:uuid:00000000-0000-0000-0000-000000000000\"",
                    "\"00000000-0000-0000-0000-000000000000\""}) {
    auto x = refused(with_member("event_id", json));
    CHECK(x.reason == refusal_reason::invalid_event_id);
    CHECK_FALSE(x.event_id.has_value());
  }
}

TEST_CASE("K-28: an event type is a name with its major version") {
  for (auto type : {"order.paid.v1", "Order-Paid_2.v1", "com.example.order.paid.v1", "a.v1",
                    "never.heard.of.v1"})
    CHECK(valid(with_member("event_type", json_string(type))).type == type);
  for (auto type :
       {"", "order.paid", "order.paid.v", "order.paid.1", "order.paid.v1.0", "v1", ".v1",
        "order.paid.v01", "order.paid.v-1", "order.paid.vabc", "order..paid.v1", ".order.v1",
        "order..v1", "order paid.v1", "заказ.v1", "order/paid.v1", "order.paid.v1 "}) {
    INFO(type);
    CHECK(reason_for(with_member("event_type", json_string(type))) == "invalid_event_type");
  }
  std::string longest(600, 'a');
  longest += ".v1";
  CHECK(reason_for(with_member("event_type", json_string(longest))) == "invalid_event_type");
}

TEST_CASE("K-28: another major version is refused as such") {
  for (auto type :
       {"order.paid.v0", "order.paid.v2", "order.paid.v10", "order.paid.v99999999999999999999"}) {
    auto x = refused(with_member("event_type", json_string(type)));
    CHECK(x.reason == refusal_reason::unsupported_version);
    CHECK(x.event_id == paid_id);
  }
}

TEST_CASE("K-23: event times far from now are taken as they are, whatever the record's time") {
  const std::pair<const char*, int64_t> times[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"2016-08-22T16:00:00.25+03:00", 1471870800250000},
      {"9999-12-31T23:59:59Z", 253402300799000000}};
  for (const auto& [text, us] : times)
    for (auto timestamp_ms : {int64_t{-1}, int64_t{0}, int64_t{1788278400000}}) {
      auto record = test::record_of(with_member("occurred_at", json_string(text)));
      record.timestamp_ms = timestamp_ms;
      auto result = read_envelope(record, {});
      REQUIRE(std::holds_alternative<valid_event>(result));
      CHECK(std::get<valid_event>(result).data.occurred_at_us == us);
    }
  // No time of the record or of our clock stands in for one that is missing.
  CHECK(reason_for(with_member("occurred_at", "")) == "missing_field");
  for (auto text : {"", "now", "2026-09-01", "1969-12-31T23:59:59Z", "1788278400"})
    CHECK(reason_for(with_member("occurred_at", json_string(text))) == "invalid_time");
}

TEST_CASE("identifiers are bounded and have no control characters") {
  for (auto name : {"producer", "aggregate_id", "correlation_id"}) {
    std::string longest(512, 'x');
    CHECK(reason_for(with_member(name, json_string(longest))).empty());
    CHECK(reason_for(with_member(name, json_string(longest + "x"))) == "invalid_field");
    CHECK(reason_for(with_member(name, "\"a\\nb\"")) == "invalid_field");
    CHECK(reason_for(with_member(name, "\"a\\u007fb\"")) == "invalid_field");
    CHECK(reason_for(with_member(name, "\"имя\"")).empty());
  }
  CHECK(reason_for(with_member("producer", "\"\"")) == "invalid_field");
  CHECK(reason_for(with_member("aggregate_id", "\"\"")) == "invalid_field");
}

TEST_CASE("of repeated members the last one counts, in the event and in the payload's text") {
  auto text = std::string{test::paid_event};
  text.insert(text.rfind('}'), R"(, "event_type": "order.created.v1", "payload": {"n": 2})");
  auto result = read(text);
  auto& x = std::get<valid_event>(result);
  CHECK(x.data.type == "order.created.v1");
  CHECK(x.data.payload == R"({"n": 2})");
  CHECK(x.payload.at("n").as_int64() == 2);
}

TEST_CASE("details never quote the event") {
  for (auto name : {"event_id", "event_type", "occurred_at", "producer", "aggregate_id"}) {
    auto x = refused(with_member(name, "\"s3cret\\u0007\""));
    CHECK(x.detail.find("s3cret") == std::string::npos);
  }
}

// Headers

const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string trace_with(std::vector<record_header> headers) {
  auto record = test::record_of(test::paid_event);
  record.headers = std::move(headers);
  auto result = read_envelope(record, {});
  REQUIRE(std::holds_alternative<valid_event>(result));
  return std::get<valid_event>(result).data.traceparent;
}

TEST_CASE("a valid trace context is taken from its header") {
  CHECK(trace_with({{"traceparent", {true, trace}}}) == trace);
  CHECK(trace_with({{"Traceparent", {true, trace}}}) == trace);
}

TEST_CASE("K-22: odd headers never refuse an event") {
  CHECK(trace_with({{"traceparent", {true, "\xC3\x28"}}}).empty());
  CHECK(trace_with({{"traceparent", {false, ""}}}).empty());
  CHECK(trace_with({{"traceparent", {true, ""}}}).empty());
  CHECK(trace_with({{"traceparent", {true, trace}}, {"traceparent", {true, trace}}}).empty());
  CHECK(trace_with({{"", {true, "x"}}, {"content-type", {true, "\xFF"}}}).empty());
  CHECK(trace_with({{"content-type", {false, ""}}}).empty());
  std::vector<record_header> many(200, {"x", {true, std::string(1000, '\0')}});
  many.push_back({"traceparent", {true, trace}});
  CHECK(trace_with(many) == trace);
}

} // namespace
} // namespace notify
