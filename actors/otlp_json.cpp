#include "actors/otlp_json.hpp"

#include "actors/tracer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace notify {

namespace {

namespace json = boost::json;

// SpanKind and StatusCode of opentelemetry/proto/trace/v1/trace.proto.
constexpr int kind_internal = 1;
constexpr int kind_client = 3;
constexpr int kind_consumer = 5;
constexpr int status_error = 2;

/// Attributes that are numbers; a collector can compare them then.
constexpr std::array<std::string_view, 6> numbers{"attempt", "status", "records",
                                                  "events",  "jobs",   "lease_id"};

json::object attribute(std::string_view key, const std::string& value) {
  // int64 is a text in protobuf's JSON.
  auto type =
      std::find(numbers.begin(), numbers.end(), key) == numbers.end() ? "stringValue" : "intValue";
  return {{"key", key}, {"value", json::object{{type, value}}}};
}

int kind_of(const span& x) {
  if (x.name == "consume")
    return kind_consumer;
  return x.name == "send" ? kind_client : kind_internal;
}

json::object link_object(const std::string& traceparent) {
  auto context = read_context(traceparent);
  return {{"traceId", context.trace_id}, {"spanId", context.span_id}};
}

json::object span_object(const span& x) {
  json::object result{{"traceId", x.trace_id},
                      {"spanId", x.span_id},
                      {"name", x.name},
                      {"kind", kind_of(x)},
                      {"startTimeUnixNano", std::to_string(x.start_us) + "000"},
                      {"endTimeUnixNano", std::to_string(x.end_us) + "000"}};
  if (!x.parent_id.empty())
    result["parentSpanId"] = x.parent_id;
  json::array attributes;
  for (const auto& [key, value] : x.attributes)
    attributes.push_back(attribute(key, value));
  result["attributes"] = std::move(attributes);
  if (!x.links.empty()) {
    json::array links;
    for (const auto& link : x.links)
      links.push_back(link_object(link));
    result["links"] = std::move(links);
  }
  if (!x.failure.empty())
    result["status"] = json::object{{"code", status_error}, {"message", x.failure}};
  return result;
}

} // namespace

std::string otlp_json(std::span<const span> spans, const trace_resource& resource) {
  json::array all;
  all.reserve(spans.size());
  for (const auto& x : spans)
    all.push_back(span_object(x));
  json::object scope{{"name", "notifyd"}, {"version", resource.version}};
  json::array scopes{json::object{{"scope", std::move(scope)}, {"spans", std::move(all)}}};
  json::array about{attribute("service.name", "notifyd"),
                    attribute("service.instance.id", resource.instance),
                    attribute("service.version", resource.version)};
  json::array resources{json::object{{"resource", json::object{{"attributes", std::move(about)}}},
                                     {"scopeSpans", std::move(scopes)}}};
  return json::serialize(json::object{{"resourceSpans", std::move(resources)}});
}

} // namespace notify
