#pragma once

#include "tests/support/scripted_http.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace notify::test {

/// A span as a collector reads it.
struct collected_span {
  std::string instance; ///< `service.instance.id` of its resource.
  std::string trace_id;
  std::string span_id;
  std::string parent_id;
  std::string name;
  int64_t kind = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::map<std::string, std::string> attributes;          ///< Numbers as their text.
  std::vector<std::pair<std::string, std::string>> links; ///< Trace and span.
  bool failed = false;
  std::string failure;
};

/// What one request's body holds, read strictly by OTLP's JSON form. Throws std::runtime_error at
/// anything that a collector would not understand.
std::vector<collected_span> read_otlp(const std::string& body);

/// A collector of traces on a loopback address: OTLP over HTTP, in JSON.
class otlp_receiver {
public:
  /// Takes everything.
  otlp_receiver() : otlp_receiver({web::serve(200, "{}")}) {}

  /// Answers by a script.
  explicit otlp_receiver(http_script script) : server_(std::move(script)) {}

  explicit otlp_receiver(std::vector<http_script> scripts) : server_(std::move(scripts)) {}

  std::string endpoint() const { return server_.url(""); }

  /// All spans of all complete requests, in order of arrival; also of those that were refused.
  std::vector<collected_span> spans() const;

  std::vector<collected_span> named(const std::string& name) const;

  std::vector<received_request> requests() const { return server_.requests(); }

private:
  scripted_http server_;
};

} // namespace notify::test
