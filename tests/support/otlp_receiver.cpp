#include "tests/support/otlp_receiver.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace notify::test {

namespace {

namespace json = boost::json;

void require(bool holds, const std::string& what) {
  if (!holds)
    throw std::runtime_error{"not OTLP: " + what};
}

std::string text(const json::value& x) {
  return std::string{x.as_string()};
}

std::string id(const json::value& x, size_t digits) {
  auto result = text(x);
  require(result.size() == digits
              && result.find_first_not_of("0123456789abcdef") == std::string::npos
              && result.find_first_not_of('0') != std::string::npos,
          "the id " + result);
  return result;
}

/// A 64 bit number is a text in protobuf's JSON.
int64_t number(const json::value& x) {
  auto result = text(x);
  require(!result.empty() && result.find_first_not_of("0123456789") == std::string::npos,
          "the number " + result);
  return std::stoll(result);
}

std::map<std::string, std::string> attributes(const json::value& list) {
  std::map<std::string, std::string> result;
  for (const auto& x : list.as_array()) {
    const auto& value = x.at("value").as_object();
    require(value.size() == 1, "an attribute's value");
    if (const auto* whole = value.if_contains("intValue"))
      result[text(x.at("key"))] = std::to_string(number(*whole));
    else
      result[text(x.at("key"))] = text(value.at("stringValue"));
  }
  return result;
}

collected_span read_span(const json::object& x) {
  collected_span result;
  result.trace_id = id(x.at("traceId"), 32);
  result.span_id = id(x.at("spanId"), 16);
  if (const auto* parent = x.if_contains("parentSpanId"))
    result.parent_id = id(*parent, 16);
  result.name = text(x.at("name"));
  result.kind = x.at("kind").as_int64();
  result.start_ns = number(x.at("startTimeUnixNano"));
  result.end_ns = number(x.at("endTimeUnixNano"));
  require(result.start_ns <= result.end_ns, "a span that ends before it begins");
  result.attributes = attributes(x.at("attributes"));
  if (const auto* links = x.if_contains("links"))
    for (const auto& link : links->as_array())
      result.links.emplace_back(id(link.at("traceId"), 32), id(link.at("spanId"), 16));
  if (const auto* status = x.if_contains("status")) {
    result.failed = status->at("code").as_int64() == 2;
    result.failure = text(status->at("message"));
  }
  return result;
}

} // namespace

std::vector<collected_span> read_otlp(const std::string& body) {
  std::vector<collected_span> result;
  auto root = json::parse(body);
  for (const auto& resource : root.at("resourceSpans").as_array()) {
    auto about = attributes(resource.at("resource").at("attributes"));
    require(about["service.name"] == "notifyd", "service.name");
    for (const auto& scope : resource.at("scopeSpans").as_array()) {
      require(scope.at("scope").at("name") == "notifyd", "the scope");
      for (const auto& x : scope.at("spans").as_array()) {
        result.push_back(read_span(x.as_object()));
        result.back().instance = about["service.instance.id"];
      }
    }
  }
  return result;
}

std::vector<collected_span> otlp_receiver::spans() const {
  std::vector<collected_span> result;
  for (const auto& x : requests()) {
    if (!x.is_complete)
      continue;
    require(x.method() == "POST" && x.target() == "/v1/traces", "the target " + x.target());
    require(x.header("Content-Type") == "application/json", "the content type");
    auto part = read_otlp(x.body);
    std::move(part.begin(), part.end(), std::back_inserter(result));
  }
  return result;
}

std::vector<collected_span> otlp_receiver::named(const std::string& name) const {
  auto all = spans();
  std::erase_if(all, [&](const auto& x) { return x.name != name; });
  return all;
}

} // namespace notify::test
