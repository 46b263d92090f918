#pragma once

#include "messages/delivery.hpp"

#include <caf/expected.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace notify {

/// Moves jobs between `job_queue` and `leases`. All arithmetic uses the database's clock. Blocks.
class claim_store {
public:
  virtual ~claim_store() = default;

  /// Leases up to `limit` due jobs of one channel, oldest due first; all of them share one lease.
  virtual caf::expected<std::vector<delivery_job>> claim(const std::string& channel, uint32_t limit,
                                                         caf::timespan lease) = 0;

  /// Renews these leases of ours and returns those that were still alive; the others are lost.
  virtual caf::expected<std::vector<int64_t>> heartbeat(const std::vector<int64_t>& lease_ids,
                                                        caf::timespan lease) = 0;

  /// Gives back jobs that no worker has started, under the same attempt number, and returns how
  /// many. A job whose lease is gone is left alone: the reaper had it.
  virtual caf::expected<uint64_t> release(const std::vector<attempt_ref>& unstarted) = 0;

  /// Reserves `count` moments to send, `interval` apart, among all processes that send through
  /// `channel`, and returns how far away the first of them is, counted from the answer.
  virtual caf::expected<caf::timespan> reserve_sends(const std::string& channel, uint32_t count,
                                                     caf::timespan interval) = 0;

  /// While a channel is paused, claims find nothing in it, in any process. Returns whether this
  /// changed anything. `by` says who asked.
  virtual caf::expected<bool> set_paused(const std::string& channel, bool paused,
                                         const std::string& by) = 0;
};

using claim_store_ptr = std::shared_ptr<claim_store>;

} // namespace notify
