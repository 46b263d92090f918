#pragma once

#include "messages/delivery.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <memory>

namespace notify {

/// Ends expired leases. Never deletes open work. Blocks.
class reaper_store {
public:
  virtual ~reaper_store() = default;

  /// Ends up to `limit` expired leases: each job in them without an attempt row gets an
  /// `abandoned` one and goes back to the queue, or is dead with `reclaim_limit` after more than
  /// `cap` reclaims.
  virtual caf::expected<reap_report> reap(uint32_t limit, int32_t cap) = 0;
};

using reaper_store_ptr = std::shared_ptr<reaper_store>;

} // namespace notify
