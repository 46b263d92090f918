#pragma once

#include "messages/delivery.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace notify {

/// Makes attempts durable. The attempt's primary key is the fence: whoever inserts (job, attempt)
/// first wins, the other changes nothing. Blocks.
class result_store {
public:
  virtual ~result_store() = default;

  /// Records these attempts and moves their jobs in one transaction, then ends `done_leases`.
  /// Returns for each result whether it was the first for its attempt.
  virtual caf::expected<std::vector<bool>> record(const std::vector<attempt_result>& results,
                                                  const std::vector<int64_t>& done_leases) = 0;

  /// A success that came after its attempt was abandoned, or its answer given up: notes it on the
  /// attempt and makes the job `sent` unless it is terminal already. Returns whether the job
  /// changed. A success that was recorded in time is left as it is.
  virtual caf::expected<bool> record_late_success(const attempt_result& result) = 0;
};

using result_store_ptr = std::shared_ptr<result_store>;

} // namespace notify
