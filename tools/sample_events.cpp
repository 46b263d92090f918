#include "tools/sample_events.hpp"

#include "messages/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <chrono>
#include <ctime>

namespace notify::sample {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> known_types = {
    "order.created.v1", "order.paid.v1", "order.cancelled.v1", "order.completed.v1"};

/// UTC, RFC 3339, with microseconds: latencies are measured from it.
std::string now() {
  using namespace std::chrono;
  auto ticks = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  auto seconds = static_cast<std::time_t>(ticks / 1'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  auto fraction = std::to_string(1'000'000 + ticks % 1'000'000).substr(1);
  return std::string{text.data(), length} + "." + fraction + "Z";
}

json::array order_lines() {
  json::object book{
      {"name", "Designing Data-Intensive Applications"}, {"quantity", 1}, {"unit_amount", 549000}};
  json::object lamp{
      {"name", "Reading lamp <warm & bright>"}, {"quantity", 1}, {"unit_amount", 449000}};
  return {std::move(book), std::move(lamp)};
}

json::object payload_of(const choices& x, const std::string& order_id) {
  json::object result{
      {"buyer_id", to_string(uuid::random())},
      {"buyer_name", "Anna"},
      {"email", x.email},
      {"locale", x.locale},
      {"order_id", order_id},
      {"total_amount", 998000},
      {"currency", "RUB"},
      {"items", order_lines()},
  };
  if (x.type == "order.paid.v1")
    result["paid_at"] = now();
  else if (x.type == "order.cancelled.v1")
    result["reason"] = "The payment did not arrive in time.";
  else if (x.type == "order.completed.v1")
    result["completed_at"] = now();
  return result;
}

const json::value* first_of(const json::object& from, std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (const auto* found = from.if_contains(name); found != nullptr && found->is_string())
      return found;
  return nullptr;
}

std::string text_at(const kafka::outgoing_record& x, std::initializer_list<const char*> names) {
  boost::system::error_code error;
  auto value = json::parse(x.value.bytes, error);
  if (error || !value.is_object())
    return {};
  const auto* found = first_of(value.get_object(), names);
  return found != nullptr ? std::string{found->get_string().c_str()} : std::string{};
}

} // namespace

std::span<const std::string_view> types() {
  return known_types;
}

kafka::outgoing_record make_event(const choices& x) {
  auto order_id = to_string(uuid::random());
  json::object envelope{
      {"event_id", to_string(x.event_id.value_or(uuid::random()))},
      {"event_type", x.type},
      {"occurred_at", now()},
      {"producer", "notifyctl"},
      {"aggregate_id", order_id},
      {"correlation_id", to_string(uuid::random())},
      {"payload", payload_of(x, order_id)},
  };
  kafka::outgoing_record result;
  result.key = {true, order_id};
  result.value = {true, json::serialize(envelope)};
  return result;
}

std::string event_id_of(const kafka::outgoing_record& x) {
  return text_at(x, {"event_id", "id"});
}

caf::expected<kafka::outgoing_record> from_line(std::string_view line, bool raw) {
  kafka::outgoing_record result;
  result.value = {true, std::string{line}};
  boost::system::error_code error;
  auto value = json::parse(line, error);
  if (!raw && (error || !value.is_object()))
    return caf::make_error(ec::invalid_event,
                           error ? "not JSON: " + error.message() : "not a JSON object");
  auto key = text_at(result, {"aggregate_id", "subject"});
  result.key = {!key.empty(), key};
  return result;
}

} // namespace notify::sample
