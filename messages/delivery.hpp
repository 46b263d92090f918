#pragma once

#include "messages/outcome.hpp"
#include "messages/uuid.hpp"

#include <caf/meta/type_name.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace notify {

/// A claimed job with all that a worker needs to render and send it.
struct delivery_job {
  uuid job_id;
  int32_t attempt_no = 1; ///< The fencing token: recording is refused once it was abandoned.
  int64_t lease_id = 0;
  uint32_t lease_size = 0; ///< Jobs in that lease, so that its last result can end it.
  std::string channel;
  std::string recipient;
  std::string template_key;
  std::string locale;
  uuid event_id;
  std::string event_type;
  int64_t occurred_at_us = 0; ///< The event's time: microseconds since 1970, UTC.
  std::string correlation_id;
  std::string traceparent;
  std::string payload; ///< The event's JSON object.
  int32_t failures = 0;
  int32_t reclaims = 0;
  int32_t unknowns = 0;                            ///< Attempts that may have been accepted.
  caf::timespan first_unknown_age{0};              ///< Since the first of them was begun.
  std::string frozen_hash;                         ///< What that one sent; empty if not known.
  caf::timespan expires_in = caf::timespan::max(); ///< Not positive: too late to send.
  int32_t key_no = 0;     ///< Not 0: an operator asked for a fresh idempotency key, the n-th one.
  std::string suppressed; ///< Why nothing goes to this recipient.
  caf::timespan age{0};   ///< Since it was created, when it was claimed.
};

/// What providers tell repeated sends of one job by: its id, and a suffix if an operator asked for
/// a fresh key. Stable over all attempts.
std::string idempotency_key(const delivery_job& job);

/// Where a job comes from, for whoever tells people about it.
struct job_origin {
  uuid event_id;
  std::string correlation_id;
  std::string traceparent; ///< Of the span that sends it, if it is traced; else empty.

  bool operator==(const job_origin&) const = default;
};

/// Names one attempt of one job within its lease.
struct attempt_ref {
  uuid job_id;
  int32_t attempt_no = 0;
  int64_t lease_id = 0;

  bool operator==(const attempt_ref&) const = default;
};

/// What a template made of an event; the bytes of every attempt under one key are the same.
struct rendered_message {
  std::string subject;
  std::string text;
  std::string html;         ///< Empty for channels without HTML.
  std::string content_hash; ///< 64 hex digits over all parts.
};

/// Gives one job to an idle worker.
struct deliver {
  delivery_job job;
};

/// The provider's answer, from a provider client to the worker that asked.
struct send_finished {
  uuid job_id;
  int32_t attempt_no = 0;
  outcome result;
  job_origin origin = {}; ///< As it was asked; empty if nobody said.
};

/// What becomes of a job after an attempt.
enum class next_step : uint8_t {
  sent,  ///< Terminal: the provider has it.
  retry, ///< Back into the queue, due after `delay`.
  dead,  ///< Terminal: no further attempt.
};

std::string to_string(next_step x);

/// One finished attempt, ready to be recorded.
struct attempt_result {
  attempt_ref attempt;
  uint32_t lease_size = 0;
  next_step next = next_step::retry;
  caf::timespan delay{0};         ///< Distance to the next attempt, from the moment of recording.
  bool counts_as_failure = true;  ///< False if the attempt must not use up the retry budget.
  bool counts_as_reclaim = false; ///< True if the worker was lost: a separate, bounded budget.
  std::string result;             ///< `sent`, `abandoned`, or the error class of the contract.
  std::string dead_reason;        ///< Why no further attempt; empty unless `next` is `dead`.
  caf::timespan clamped_wait{0};  ///< What of the provider's wait was honoured.
  outcome answer;                 ///< What the attempt row keeps of the provider's answer.
  std::string content_hash;
  std::string idempotency_key;
  caf::timespan started_ago{0}; ///< Age of the attempt when it finished, by a monotonic clock.
  job_origin origin = {};
};

/// The attempt is durable, or was recorded by someone else before (`applied` is false then).
struct result_recorded {
  uuid job_id;
  int32_t attempt_no = 0;
  bool applied = false;
};

/// Jobs of these channels became due; a hint, never a promise.
struct jobs_ready {
  std::vector<std::string> channels;
};

/// How many sends a channel takes right now; from its provider client to the dispatcher.
struct channel_gate {
  std::string channel;
  uint32_t max_in_flight = 0; ///< 0: closed. Another gate follows when that changes.
  std::string reason;         ///< For people, e.g. `breaker open`; empty if nothing is wrong.
};

/// Ends what is on the wire, because the process stops; each send is still answered.
struct cut_sends {};

/// Stops or resumes the deliveries of one channel, in all processes and until told otherwise.
struct set_channel_pause {
  std::string channel;
  bool paused = false;
  std::string by; ///< Who asked, for people.
};

/// The pause, or its end, is durable.
struct channel_pause_set {
  std::string channel;
  bool changed = false; ///< False if it was so already.
};

/// Internal timer of the dispatcher: give back what came back unsent.
struct release_tick {};

/// Internal timer of the dispatcher: the next reserved moment to send may have come.
struct pace_tick {};

/// Internal timer of a provider client: the channel may open by now.
struct gate_tick {};

/// Internal timer of the dispatcher: claim for whatever is free now.
struct claim_tick {};

/// Internal timer of the dispatcher: look for due jobs although nobody gave a hint.
struct poll_jobs_tick {};

/// Internal timer of the dispatcher: renew the leases of everything in flight.
struct heartbeat_tick {};

/// Internal timer of the result writer: write everything that has gathered.
struct flush_tick {};

/// Internal timer of a worker: ask or tell again what may have been lost. Stale if the generation
/// is not the current one.
struct worker_tick {
  uint64_t generation = 0;
};

/// Internal timer of a provider client: look for sends that outlived their deadline.
struct deadline_tick {};

/// Internal timer of the dispatcher: while stopping, how long sends in flight may take.
struct drain_timeout {};

/// Asks the reaper to return the jobs of every expired lease right now.
struct reap_now {};

/// Internal timer of the reaper.
struct reap_tick {};

/// Outcome of one pass over the expired leases.
struct reap_report {
  uint64_t leases = 0;                  ///< Expired leases that were ended.
  uint64_t released = 0;                ///< Jobs that wait for their next attempt.
  std::map<std::string, uint64_t> dead; ///< Jobs whose reclaim cap was reached, by channel.
};

/// Those of all channels.
uint64_t count_dead(const reap_report& x);

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, delivery_job& x) {
  return f(caf::meta::type_name("delivery_job"), x.job_id, x.attempt_no, x.lease_id, x.lease_size,
           x.channel, x.recipient, x.template_key, x.locale, x.event_id, x.event_type,
           x.occurred_at_us, x.correlation_id, x.traceparent, x.payload, x.failures, x.reclaims,
           x.unknowns, x.first_unknown_age, x.frozen_hash, x.expires_in, x.key_no, x.suppressed,
           x.age);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, job_origin& x) {
  return f(caf::meta::type_name("job_origin"), x.event_id, x.correlation_id, x.traceparent);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, attempt_ref& x) {
  return f(caf::meta::type_name("attempt_ref"), x.job_id, x.attempt_no, x.lease_id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, rendered_message& x) {
  return f(caf::meta::type_name("rendered_message"), x.subject, x.text, x.html, x.content_hash);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, deliver& x) {
  return f(caf::meta::type_name("deliver"), x.job);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, send_finished& x) {
  return f(caf::meta::type_name("send_finished"), x.job_id, x.attempt_no, x.result, x.origin);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, attempt_result& x) {
  return f(caf::meta::type_name("attempt_result"), x.attempt, x.lease_size, x.next, x.delay,
           x.counts_as_failure, x.counts_as_reclaim, x.result, x.dead_reason, x.clamped_wait,
           x.answer, x.content_hash, x.idempotency_key, x.started_ago, x.origin);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, result_recorded& x) {
  return f(caf::meta::type_name("result_recorded"), x.job_id, x.attempt_no, x.applied);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, jobs_ready& x) {
  return f(caf::meta::type_name("jobs_ready"), x.channels);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, channel_gate& x) {
  return f(caf::meta::type_name("channel_gate"), x.channel, x.max_in_flight, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, cut_sends&) {
  return f(caf::meta::type_name("cut_sends"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, set_channel_pause& x) {
  return f(caf::meta::type_name("set_channel_pause"), x.channel, x.paused, x.by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, channel_pause_set& x) {
  return f(caf::meta::type_name("channel_pause_set"), x.channel, x.changed);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, release_tick&) {
  return f(caf::meta::type_name("release_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pace_tick&) {
  return f(caf::meta::type_name("pace_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, gate_tick&) {
  return f(caf::meta::type_name("gate_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, claim_tick&) {
  return f(caf::meta::type_name("claim_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, poll_jobs_tick&) {
  return f(caf::meta::type_name("poll_jobs_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, heartbeat_tick&) {
  return f(caf::meta::type_name("heartbeat_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, flush_tick&) {
  return f(caf::meta::type_name("flush_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, worker_tick& x) {
  return f(caf::meta::type_name("worker_tick"), x.generation);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, deadline_tick&) {
  return f(caf::meta::type_name("deadline_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, drain_timeout&) {
  return f(caf::meta::type_name("drain_timeout"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reap_now&) {
  return f(caf::meta::type_name("reap_now"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reap_tick&) {
  return f(caf::meta::type_name("reap_tick"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reap_report& x) {
  return f(caf::meta::type_name("reap_report"), x.leases, x.released, x.dead);
}

} // namespace notify
