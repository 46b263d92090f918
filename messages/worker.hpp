#pragma once

#include "messages/delivery.hpp"
#include "messages/status.hpp"
#include "messages/tuning.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace notify {

/// Implemented by every actor of the service.
using status_actor = caf::typed_actor<
    // How it is, for the inspector.
    caf::replies_to<get_status>::with<actor_status>,
    // Throws on purpose.
    caf::reacts_to<crash_now>>;

/// One slot of a channel: takes one job at a time from render to record. The work is in the
/// database; whatever this actor loses, its lease brings back.
using delivery_worker_actor = caf::typed_actor<
    // From the dispatcher, only after `worker_ready`.
    caf::reacts_to<deliver>,
    // From the provider client.
    caf::reacts_to<send_finished>,
    // From the result writer; frees the slot.
    caf::reacts_to<result_recorded>,
    // From its pool, which is to be smaller: ends after the job in hand.
    caf::reacts_to<retire_worker>,
    // Internal timer.
    caf::reacts_to<worker_tick>>::extend_with<status_actor>;

/// A worker offers itself to the dispatcher. Said again whenever the dispatcher is a new one.
struct worker_ready {
  std::string channel;
  delivery_worker_actor worker;
};

/// A worker tells a new dispatcher that it still holds a job, so that its lease is kept alive.
struct worker_busy {
  std::string channel;
  attempt_ref attempt;
  uint32_t lease_size = 0;
  int32_t reclaims = 0;
  delivery_worker_actor worker;
  job_origin origin = {};
};

/// A worker without a job wants to go. It may if the answer is true; else the dispatcher gave it
/// one meanwhile.
struct worker_leaving {
  std::string channel;
  attempt_ref finished; ///< Its last job, which needs no `worker_ready` any more.
  delivery_worker_actor worker;
};

/// A worker's job was surely not sent and is to be given back under the same attempt number. The
/// slot is free again.
struct job_returned {
  std::string channel;
  attempt_ref attempt;
  delivery_worker_actor worker;
};

/// Asks a provider client for one request on the wire; answered by `send_finished` to `worker`.
struct send_message {
  uuid job_id;
  int32_t attempt_no = 0;
  std::string recipient;
  rendered_message content;
  std::string idempotency_key; ///< Stable over attempts.
  delivery_worker_actor worker;
  job_origin origin = {};
};

/// Asks a result writer to make one attempt durable; answered by `result_recorded` to `worker`,
/// if there is one.
struct record_result {
  attempt_result result;
  delivery_worker_actor worker;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, worker_ready& x) {
  return f(caf::meta::type_name("worker_ready"), x.channel, x.worker);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, worker_busy& x) {
  return f(caf::meta::type_name("worker_busy"), x.channel, x.attempt, x.lease_size, x.reclaims,
           x.worker, x.origin);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, worker_leaving& x) {
  return f(caf::meta::type_name("worker_leaving"), x.channel, x.finished, x.worker);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, job_returned& x) {
  return f(caf::meta::type_name("job_returned"), x.channel, x.attempt, x.worker);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, send_message& x) {
  return f(caf::meta::type_name("send_message"), x.job_id, x.attempt_no, x.recipient, x.content,
           x.idempotency_key, x.worker, x.origin);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, record_result& x) {
  return f(caf::meta::type_name("record_result"), x.result, x.worker);
}

} // namespace notify
