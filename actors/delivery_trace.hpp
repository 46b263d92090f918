#pragma once

#include "actors/tracer.hpp"
#include "messages/delivery.hpp"

#include <optional>
#include <string>

namespace notify {

/// The spans of one worker's job: `send`, which belongs to the event's trace, and `record` below
/// it. Does nothing while tracing is off.
class delivery_trace {
public:
  delivery_trace() = default;
  explicit delivery_trace(tracer trace) : trace_(std::move(trace)) {}

  /// The job is here. Where it comes from, with the trace context for the provider.
  job_origin begin(const delivery_job& job);

  /// What came of the send; recording it begins.
  void sent(const delivery_job& job, const attempt_result& result);

  /// It was surely not sent and goes back.
  void returned(const delivery_job& job);

  void recorded(bool applied);

private:
  void describe(const delivery_job& job, span& x) const;

  tracer trace_;
  std::optional<span> send_;
  std::optional<span> record_;
};

} // namespace notify
