#include "actors/delivery_trace.hpp"

#include <utility>

namespace notify {

job_origin delivery_trace::begin(const delivery_job& job) {
  job_origin result{job.event_id, job.correlation_id, {}};
  if (!trace_)
    return result;
  auto context = trace_.of_event(job.event_id, job.traceparent);
  record_.reset();
  send_ = trace_.begin("send", context);
  result.traceparent =
      traceparent_of(context.trace_id, send_ ? send_->span_id : fresh_span_id(), context.sampled);
  return result;
}

void delivery_trace::describe(const delivery_job& job, span& x) const {
  x.attributes["event_id"] = to_string(job.event_id);
  x.attributes["job_id"] = to_string(job.job_id);
  x.attributes["attempt"] = std::to_string(job.attempt_no);
  x.attributes["channel"] = job.channel;
}

void delivery_trace::sent(const delivery_job& job, const attempt_result& result) {
  if (!send_)
    return;
  auto x = std::move(*std::exchange(send_, std::nullopt));
  describe(job, x);
  x.attributes["event_type"] = job.event_type;
  if (!result.answer.provider.empty())
    x.attributes["provider"] = result.answer.provider;
  if (result.answer.provider_status != 0)
    x.attributes["status"] = std::to_string(result.answer.provider_status);
  if (result.next != next_step::sent) {
    x.attributes["error_class"] = result.result;
    // A stable code; the provider's own words may repeat an address.
    x.failure = result.answer.reason.empty() ? result.result : result.answer.reason;
  }
  record_ = trace_.begin("record", {x.trace_id, x.span_id, true});
  if (record_) {
    describe(job, *record_);
    record_->attributes["next"] = to_string(result.next);
  }
  trace_.end(std::move(x));
}

void delivery_trace::returned(const delivery_job& job) {
  if (!send_)
    return;
  auto x = std::move(*std::exchange(send_, std::nullopt));
  describe(job, x);
  x.failure = "interrupted";
  trace_.end(std::move(x));
}

void delivery_trace::recorded(bool applied) {
  if (!record_)
    return;
  auto x = std::move(*std::exchange(record_, std::nullopt));
  x.attributes["applied"] = applied ? "true" : "false";
  trace_.end(std::move(x));
}

} // namespace notify
