#pragma once

#include "messages/tracing.hpp"

#include <span>
#include <string>

namespace notify {

/// Who made the spans.
struct trace_resource {
  std::string instance; ///< `service.instance.id`.
  std::string version;
};

/// The body of an OTLP/HTTP request in protobuf's JSON form: ids in hex, times as decimal texts of
/// nanoseconds, enums as numbers.
std::string otlp_json(std::span<const span> spans, const trace_resource& resource);

} // namespace notify
