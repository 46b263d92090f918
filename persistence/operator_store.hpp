#pragma once

#include "messages/uuid.hpp"

#include <caf/expected.hpp>

#include <memory>

namespace notify {

/// What became of an operator's wish for one job.
enum class operator_verdict : uint8_t {
  done,
  not_found,
  wrong_status, ///< The job is in a status that does not allow it; nothing changed.
};

/// Which key a retried job is sent under.
enum class retry_key : uint8_t {
  same,  ///< The provider may recognise the job, and may answer with what it answered before.
  fresh, ///< For providers that remember failures, or after the key's life.
};

/// What people do to single jobs, safely beside workers and reapers. Blocks.
class operator_store {
public:
  virtual ~operator_store() = default;

  /// A dead job starts over: due now, all budgets unused, its recipient no longer suppressed. It
  /// keeps its id and its attempts; the numbers go on. Only for `dead` jobs.
  virtual caf::expected<operator_verdict> retry(const uuid& job_id, retry_key key) = 0;

  /// Withdraws a job that waits. Only for `pending` and `retry_wait`.
  virtual caf::expected<operator_verdict> cancel(const uuid& job_id) = 0;
};

using operator_store_ptr = std::shared_ptr<operator_store>;

} // namespace notify
