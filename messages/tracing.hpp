#pragma once

#include <caf/meta/type_name.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace notify {

/// One finished piece of work, as OpenTelemetry's traces have it.
struct span {
  std::string trace_id;  ///< 32 lower-case hex digits.
  std::string span_id;   ///< 16 lower-case hex digits.
  std::string parent_id; ///< 16 hex digits; empty: a trace begins here.
  std::string name;      ///< What was done: `consume`, `ingest`, `claim`, `send`, `record`.
  int64_t start_us = 0;  ///< Microseconds since 1970, UTC.
  int64_t end_us = 0;    ///< Not before `start_us`.
  std::string failure;   ///< Why it failed; empty: it did not.
  std::map<std::string, std::string> attributes;
  std::vector<std::string> links; ///< W3C traceparents of other traces that this work served.
};

/// To the trace exporter: these are over. Lost if it is away or full: a trace is never waited for.
struct spans_ended {
  std::vector<span> spans;
};

/// Internal timer of the trace exporter: send what gathered.
struct export_tick {};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, span& x) {
  return f(caf::meta::type_name("span"), x.trace_id, x.span_id, x.parent_id, x.name, x.start_us,
           x.end_us, x.failure, x.attributes, x.links);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, spans_ended& x) {
  return f(caf::meta::type_name("spans_ended"), x.spans);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, export_tick&) {
  return f(caf::meta::type_name("export_tick"));
}

} // namespace notify
