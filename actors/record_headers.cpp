#include "actors/record_headers.hpp"

#include "actors/utf8.hpp"
#include "messages/safe_text.hpp"

#include <algorithm>

namespace notify {

namespace {

constexpr std::string_view attribute_prefix = "ce_";

/// Of a header's name in a dead letter's detail.
constexpr size_t max_shown_name = 64;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string to_lower(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

} // namespace

bool starts_ignoring_case(std::string_view text, std::string_view prefix) {
  return equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

envelope_form form_of(const kafka_record& record) {
  const auto* type = find_header(record, "content-type");
  if (type != nullptr && starts_ignoring_case(*type, "application/cloudevents"))
    return envelope_form::structured;
  return has_header(record, "ce_specversion") ? envelope_form::binary : envelope_form::plain;
}

bool has_header(const kafka_record& record, std::string_view name) {
  return std::any_of(record.headers.begin(), record.headers.end(),
                     [&](const auto& x) { return equal_ignoring_case(x.name, name); });
}

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

bool is_json_type(std::string_view text) {
  auto type = text.substr(0, text.find(';'));
  while (!type.empty() && type.back() == ' ')
    type.remove_suffix(1);
  return equal_ignoring_case(type, "application/json") || equal_ignoring_case(type, "text/json")
         || (type.size() > 5 && equal_ignoring_case(type.substr(type.size() - 5), "+json"));
}

header_attributes read_attributes(const kafka_record& record) {
  header_attributes result;
  auto blame = [&](const record_header& x, std::string_view what) {
    if (!result.fault)
      result.fault = "the header `" + safe_text(x.name, max_shown_name) + "` " + std::string{what};
  };
  for (const auto& x : record.headers) {
    if (!starts_ignoring_case(x.name, attribute_prefix))
      continue;
    auto name = to_lower(std::string_view{x.name}.substr(attribute_prefix.size()));
    if (!x.value.present)
      blame(x, "is null");
    else if (invalid_utf8(x.name) || invalid_utf8(x.value.bytes))
      blame(x, "is not UTF-8");
    else if (!result.members.emplace(name, boost::json::string_view{x.value.bytes}).second)
      blame(x, "is there more than once");
  }
  // The name `data` is the value's.
  result.members.erase("data");
  result.members.erase("data_base64");
  const auto* type = find_header(record, "content-type");
  if (type != nullptr && !invalid_utf8(*type))
    result.members.insert_or_assign("datacontenttype", boost::json::string_view{*type});
  return result;
}

} // namespace notify
