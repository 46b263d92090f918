#pragma once

#include "actors/directory.hpp"
#include "actors/span_budget.hpp"
#include "actors/tracing_config.hpp"
#include "messages/tracing.hpp"
#include "messages/uuid.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// A place in a trace that further spans can hang from.
struct trace_context {
  std::string trace_id; ///< 32 hex digits.
  std::string span_id;  ///< 16 hex digits; empty: what hangs from it has no parent.
  bool sampled = false;

  bool operator==(const trace_context&) const = default;
};

/// Makes spans and hands them to the trace exporter. Made without settings it is off, and costs one
/// branch. Cheap to copy, thread-safe; never waits and never fails: what has no room is dropped and
/// counted.
class tracer {
public:
  /// More links than these are left out: a batch may serve a thousand events.
  static constexpr size_t max_links = 32;

  /// Off.
  tracer() = default;

  /// Off as well if the settings name no endpoint.
  tracer(const tracing_config& config, directory_ptr dir);

  explicit operator bool() const { return core_ != nullptr; }

  /// Where the spans about an event belong: into the trace that its producer began, or into one
  /// that follows from the event's id, the same in every process. The producer's flag decides
  /// whether it is sampled; without one the ratio does.
  trace_context of_event(const uuid& event_id, const std::string& traceparent) const;

  /// That place as a link from other traces; empty if it is not sampled.
  std::string link_to(const uuid& event_id, const std::string& traceparent) const;

  /// A trace of this process for a piece of work that `key` names within the process; the same key
  /// always gives the same context.
  trace_context of_work(std::string_view key) const;

  /// A fresh span that begins now; nothing if this is off or the context is not sampled.
  std::optional<span> begin(const char* name, const trace_context& parent) const;

  /// The span is over: it ends now and is handed over.
  void end(span x) const;

  /// How many spans were dropped in this process, and how many wait.
  const std::shared_ptr<span_budget>& budget() const;

  /// Microseconds since 1970.
  static int64_t now_us();

private:
  struct core;

  bool by_ratio(const std::string& trace_id) const;

  std::shared_ptr<const core> core_;
};

/// The W3C header for what a span calls; see `read_traceparent`.
std::string traceparent_of(const std::string& trace_id, const std::string& span_id, bool sampled);

/// The context that a header tells; empty if it is not valid.
trace_context read_context(const std::string& traceparent);

/// A fresh id for a span: 16 hex digits, not all 0.
std::string fresh_span_id();

} // namespace notify
