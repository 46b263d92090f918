#pragma once

#include "messages/operator_type_ids.hpp"
#include "messages/worker.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace notify {

/// Answers people's questions from the database and does what they ask for. Several work side by
/// side, on sessions of their own, so that nobody who looks keeps a job waiting. Blocks in the
/// database: spawn detached.
using operator_desk_actor = caf::typed_actor<
    // Lists and stories.
    caf::replies_to<list_notifications>::with<notification_page>,
    caf::replies_to<get_notification>::with<notification_story>,
    caf::replies_to<get_event>::with<event_story>,
    caf::replies_to<list_operations>::with<operation_page>,
    caf::replies_to<get_operation>::with<operation_line>,
    caf::replies_to<list_skipped>::with<skipped_page>,
    caf::replies_to<list_dead_letters>::with<dead_letter_page>,
    caf::replies_to<get_dead_letter>::with<dead_letter_story>,
    caf::replies_to<list_audit>::with<audit_page>, caf::replies_to<get_pauses>::with<pause_list>,
    // Acts. Answered once they are durable, with a row in the audit log.
    caf::replies_to<retry_notification>::with<notification_acted>,
    caf::replies_to<cancel_notification>::with<notification_acted>,
    caf::replies_to<preview_operation>::with<operation_preview>,
    caf::replies_to<start_operation>::with<operation_line>,
    caf::replies_to<cancel_operation>::with<operation_line>,
    caf::replies_to<replay_dead_letter>::with<dead_letter_replayed>,
    caf::replies_to<pause_channel>::with<channel_pause_set>>::extend_with<status_actor>;

/// Works off stored operations, a batch at a time. One in each process; of all processes one at a
/// time works on an operation. Blocks in the database: spawn detached.
using operation_runner_actor = caf::typed_actor<
    // Hint from a desk.
    caf::reacts_to<operation_stored>,
    // Internal timer.
    caf::reacts_to<operation_tick>>::extend_with<status_actor>;

} // namespace notify
