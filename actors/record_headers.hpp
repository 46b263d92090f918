#pragma once

#include "messages/kafka.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// How a record carries its event.
enum class envelope_form : uint8_t {
  plain, ///< The value is our own JSON form, or a CloudEvent that is told by its `specversion`.
  structured, ///< CloudEvents, structured mode: the value is the whole event.
  binary,     ///< CloudEvents, binary mode: headers are the attributes, the value is the data.
};

/// By the rule of CloudEvents' Kafka binding: a `content-type` that starts with
/// `application/cloudevents` means structured, else a header `ce_specversion` means binary.
envelope_form form_of(const kafka_record& record);

/// The value of the header `name`, whose case does not count; nothing if it is absent, null or
/// there more than once.
const std::string* find_header(const kafka_record& record, std::string_view name);

/// True if a header of that name is there, whatever its value and case.
bool has_header(const kafka_record& record, std::string_view name);

/// True if `text` begins with `prefix`, which is lower case, in any case.
bool starts_ignoring_case(std::string_view text, std::string_view prefix);

/// True if a media type is JSON, whatever its parameters.
bool is_json_type(std::string_view text);

/// The headers of a binary CloudEvent as the members that its structured form would have, without
/// `data`. `fault` names the first `ce_` header that is null, repeated or not UTF-8; of other
/// headers, broken ones are as good as absent.
struct header_attributes {
  boost::json::object members;
  std::optional<std::string> fault;
};

header_attributes read_attributes(const kafka_record& record);

} // namespace notify
