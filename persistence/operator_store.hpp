#pragma once

#include "messages/delivery.hpp"
#include "messages/operator.hpp"

#include <caf/expected.hpp>

#include <memory>

namespace notify {

/// What people do to the service's data, safely beside workers and reapers. Every act that changes
/// something is committed together with its row in the audit log, or not at all; who asks a second
/// time is refused. Blocks.
///
/// Errors: `ec::not_found`, `ec::wrong_state` with the state it is in, `ec::invalid_request`, and
/// those of storage. After `ec::storage_unavailable` the act may be done: see `run_transaction`.
class operator_store {
public:
  virtual ~operator_store() = default;

  /// A dead job starts over: due now, all budgets unused, its recipient no longer suppressed. It
  /// keeps its id and its attempts; the numbers go on. Only for `dead` jobs.
  virtual caf::expected<notification_acted> retry(const retry_notification& x) = 0;

  /// Withdraws a job that waits. Only for `pending` and `retry_wait`.
  virtual caf::expected<notification_acted> cancel(const cancel_notification& x) = 0;

  /// Stores an operation, which runs from then on.
  virtual caf::expected<operation_line> start(const start_operation& x) = 0;

  /// Ends a running operation. A batch that is under way is waited for.
  virtual caf::expected<operation_line> cancel(const cancel_operation& x) = 0;

  /// Claims find nothing in a paused channel, in any process.
  virtual caf::expected<channel_pause_set> set_paused(const pause_channel& x) = 0;

  /// Remembers an act whose effects another store commits, before it begins.
  virtual caf::error announce(const std::string& by, const std::string& action,
                              const std::string& target, const std::string& details) = 0;
};

using operator_store_ptr = std::shared_ptr<operator_store>;

} // namespace notify
