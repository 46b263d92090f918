#pragma once

#include "http/api/mount.hpp"

namespace notify::http {

// The routes whose answers come from the database, by way of the operators' desks.

/// Notifications: list, story, retry, cancel; and an event's story.
void add_notification_routes(router& routes, const api_parts& parts);

/// Acts on many notifications: preview, start, progress, cancel.
void add_operation_routes(router& routes, const api_parts& parts);

/// Dead letters: list, bytes, replay.
void add_dead_letter_routes(router& routes, const api_parts& parts);

/// The audit log, and the pauses of channels.
void add_audit_routes(router& routes, const api_parts& parts);

/// Asks a desk which channels are paused.
pause_source desk_pauses(const api_parts& parts);

/// All of them.
void add_operator_routes(router& routes, const api_parts& parts);

} // namespace notify::http
