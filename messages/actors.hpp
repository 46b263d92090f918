#pragma once

#include "messages/type_ids.hpp"
#include "messages/worker.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

// Every actor of the service and how to talk to it. `status_actor` and `delivery_worker_actor`
// stand in worker.hpp, because messages carry their handles.

namespace notify {

/// Reads Kafka, hands batches to inbox writers, commits offsets after the database commit. Owns
/// the librdkafka handle. Blocks in poll for a bounded time: spawn detached.
using consumer_actor = caf::typed_actor<
    // Internal timers.
    caf::reacts_to<poll_tick>, caf::reacts_to<retry_batch>>::extend_with<status_actor>;

/// Stores a batch of records in one transaction: inbox rows, jobs, dead letters, ledger. Blocks in
/// the database: spawn detached.
using inbox_writer_actor = caf::typed_actor<
    // Answers once the batch is durable, or with the reason why it is not.
    caf::replies_to<store_batch>::with<batch_stored>>::extend_with<status_actor>;

/// Claims due jobs for free slots and keeps their leases alive. Blocks in the database: spawn
/// detached.
using job_dispatcher_actor = caf::typed_actor<
    // From workers; also after this actor was restarted.
    caf::reacts_to<worker_ready>, caf::reacts_to<worker_busy>, caf::reacts_to<job_returned>,
    // From provider clients: how much their channels take.
    caf::reacts_to<channel_gate>,
    // From operators. Answered once it is durable.
    caf::replies_to<set_channel_pause>::with<channel_pause_set>,
    // From a worker whose pool is smaller now: may it go?
    caf::replies_to<worker_leaving>::with<bool>,
    // From the service after its settings were read again.
    caf::reacts_to<tune_channel>,
    // Hint from inbox writers.
    caf::reacts_to<jobs_ready>,
    // Internal timers.
    caf::reacts_to<claim_tick>, caf::reacts_to<poll_jobs_tick>, caf::reacts_to<heartbeat_tick>,
    caf::reacts_to<release_tick>, caf::reacts_to<pace_tick>,
    caf::reacts_to<drain_timeout>>::extend_with<status_actor>;

/// The only way of one channel to its provider: connection pool, limits, deadlines.
using provider_client_actor = caf::typed_actor<
    // Answered by `send_finished` to the worker named in it, whatever happens on the wire.
    caf::reacts_to<send_message>,
    // Internal: an adapter finished on its I/O thread.
    caf::reacts_to<send_finished>,
    // From the dispatcher: the process stops.
    caf::reacts_to<cut_sends>,
    // From the service after its settings were read again.
    caf::reacts_to<tune_channel>,
    // Internal timers.
    caf::reacts_to<deadline_tick>, caf::reacts_to<gate_tick>>::extend_with<status_actor>;

/// Makes attempts durable, many in one transaction. Blocks in the database: spawn detached.
using result_writer_actor = caf::typed_actor<
    // Answered by `result_recorded` to the worker named in it. Safe to say twice.
    caf::reacts_to<record_result>,
    // Internal timer.
    caf::reacts_to<flush_tick>>::extend_with<status_actor>;

/// Gives jobs of crashed or stuck processes back to the queue. Blocks in the database: spawn
/// detached.
using lease_reaper_actor = caf::typed_actor<
    // One pass, outside the regular rhythm.
    caf::replies_to<reap_now>::with<reap_report>,
    // Internal timer.
    caf::reacts_to<reap_tick>>::extend_with<status_actor>;

/// Deletes what is past its retention, a little at a time. Blocks in the database: spawn detached.
using janitor_actor = caf::typed_actor<
    // One pass, outside the regular rhythm; answered when it ends.
    caf::replies_to<clean_now>::with<janitor_report>,
    // Internal timer.
    caf::reacts_to<janitor_tick>>::extend_with<status_actor>;

/// Publishes dead letters to their topic and marks them once the broker has them. Blocks in the
/// database and shortly in librdkafka: spawn detached.
using dead_letter_relay_actor = caf::typed_actor<
    // Hint from inbox writers.
    caf::reacts_to<dead_letters_stored>,
    // Internal timers.
    caf::reacts_to<relay_tick>, caf::reacts_to<reports_tick>>::extend_with<status_actor>;

/// Keeps figures about the tables at hand, so that nobody who looks makes the database count.
/// Blocks in the database: spawn detached.
using stats_collector_actor = caf::typed_actor<
    // The last figures, at once.
    caf::replies_to<get_stats>::with<stats_report>,
    // Internal timer.
    caf::reacts_to<stats_tick>>::extend_with<status_actor>;

/// Hears from other processes that jobs became due, and tells the dispatcher. Blocks in the
/// connection for a bounded time: spawn detached.
using job_listener_actor = caf::typed_actor<
    // Internal timer.
    caf::reacts_to<listen_tick>>::extend_with<status_actor>;

/// Gathers finished spans and sends them to a collector. Nobody waits for it.
using trace_exporter_actor = caf::typed_actor<
    // From everybody who works.
    caf::reacts_to<spans_ended>,
    // Internal timer.
    caf::reacts_to<export_tick>>::extend_with<status_actor>;

/// Keeps an ordered set of children alive and stops them in reverse order.
using supervisor_actor = caf::typed_actor<
    // Who is there.
    caf::replies_to<get_children>::with<child_list>,
    // How many there are to be, if its children are a pool of equals.
    caf::reacts_to<resize_pool>,
    // Internal timers.
    caf::reacts_to<restart_child>, caf::reacts_to<stop_timeout>>::extend_with<status_actor>;

/// Asks every actor of the tree for its status.
using inspector_actor = caf::typed_actor<
    // The whole tree; silent actors are marked, never waited for beyond a short timeout.
    caf::replies_to<get_actors>::with<actor_tree>>::extend_with<status_actor>;

} // namespace notify
