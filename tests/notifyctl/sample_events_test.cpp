#include "tools/sample_events.hpp"

#include "messages/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <catch2/catch.hpp>

namespace notify::sample {
namespace {

namespace json = boost::json;

json::object envelope_of(const kafka::outgoing_record& x) {
  return json::parse(x.value.bytes).as_object();
}

std::string text(const json::object& from, const char* name) {
  return std::string{from.at(name).as_string().c_str()};
}

TEST_CASE("a sample has every field of the envelope and of its payload") {
  choices chosen;
  chosen.type = std::string{GENERATE(from_range(types().begin(), types().end()))};
  chosen.email = "anna@example.com";
  chosen.locale = "ru";
  auto record = make_event(chosen);
  auto envelope = envelope_of(record);
  CHECK(uuid::parse(text(envelope, "event_id")));
  CHECK(uuid::parse(text(envelope, "correlation_id")));
  CHECK(text(envelope, "event_type") == chosen.type);
  CHECK(text(envelope, "occurred_at").back() == 'Z');
  CHECK(text(envelope, "producer") == "notifyctl");
  const auto& payload = envelope.at("payload").as_object();
  CHECK(text(payload, "email") == "anna@example.com");
  CHECK(text(payload, "locale") == "ru");
  CHECK(text(payload, "currency") == "RUB");
  CHECK(payload.at("total_amount").is_int64());
  CHECK(text(payload, "order_id") == text(envelope, "aggregate_id"));
  CHECK(record.key == nullable_bytes{true, text(envelope, "aggregate_id")});
}

TEST_CASE("two samples are two events of two orders") {
  auto first = make_event({});
  auto second = make_event({});
  CHECK(event_id_of(first) != event_id_of(second));
  CHECK(first.key != second.key);
}

TEST_CASE("a chosen event id is kept") {
  choices chosen;
  chosen.event_id = uuid::random();
  CHECK(event_id_of(make_event(chosen)) == to_string(*chosen.event_id));
}

TEST_CASE("the items of a sample add up to its total") {
  auto envelope = envelope_of(make_event({}));
  const auto& payload = envelope.at("payload").as_object();
  int64_t sum = 0;
  for (const auto& item : payload.at("items").as_array())
    sum += item.at("quantity").as_int64() * item.at("unit_amount").as_int64();
  CHECK(sum == payload.at("total_amount").as_int64());
}

TEST_CASE("a line keeps its bytes and is keyed by the aggregate it names") {
  auto own = from_line(R"({ "event_id": "x", "aggregate_id": "order-1" })", false);
  REQUIRE(own);
  CHECK(own->value.bytes == R"({ "event_id": "x", "aggregate_id": "order-1" })");
  CHECK(own->key == nullable_bytes{true, "order-1"});
  CHECK(event_id_of(*own) == "x");
  auto cloud_event = from_line(R"({"id":"y","subject":"order-2"})", false);
  REQUIRE(cloud_event);
  CHECK(cloud_event->key == nullable_bytes{true, "order-2"});
  CHECK(event_id_of(*cloud_event) == "y");
}

TEST_CASE("a line that is no JSON object is refused unless it is meant to be raw") {
  auto line = GENERATE("{", "[]", "poison");
  auto refused = from_line(line, false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == ec::invalid_event);
  auto raw = from_line(line, true);
  REQUIRE(raw);
  CHECK(raw->value.bytes == line);
  CHECK_FALSE(raw->key.present);
}

} // namespace
} // namespace notify::sample
