#include "actors/providers/log_provider.hpp"

#include "messages/log.hpp"

namespace notify {

void log_provider::send(send_request request, completion done) {
  if (log::enabled(log::level::debug))
    log::debug("log-provider", "would send",
               {{"job_id", to_string(request.job_id)},
                {"event_id", to_string(request.origin.event_id)},
                {"correlation_id", request.origin.correlation_id},
                {"attempt_no", request.attempt_no},
                {"subject_bytes", request.content.subject.size()},
                {"text_bytes", request.content.text.size()}});
  outcome result;
  result.kind = outcome_kind::sent;
  result.phase = send_phase::done;
  result.provider = name();
  result.provider_message_id = request.idempotency_key;
  result.bytes_sent = request.content.text.size();
  done(std::move(result));
}

} // namespace notify
