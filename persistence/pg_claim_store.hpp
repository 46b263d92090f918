#pragma once

#include "persistence/claim_store.hpp"
#include "persistence/delivery_statements.hpp"
#include "persistence/session.hpp"

#include <chrono>
#include <map>

namespace notify {

/// Claims, heartbeats, give-backs, reservations and pauses on PostgreSQL.
class pg_claim_store : public claim_store {
public:
  /// `owner` names this incarnation of the process: only its leases are renewed and given back.
  pg_claim_store(const postgres_config& config, const uuid& owner,
                 delivery_statements statements = {});

  caf::expected<std::vector<delivery_job>> claim(const std::string& channel, uint32_t limit,
                                                 caf::timespan lease) override;

  caf::expected<std::vector<int64_t>> heartbeat(const std::vector<int64_t>& lease_ids,
                                                caf::timespan lease) override;

  caf::expected<uint64_t> release(const std::vector<attempt_ref>& unstarted) override;

  caf::expected<caf::timespan> reserve_sends(const std::string& channel, uint32_t count,
                                             caf::timespan interval) override;

  caf::expected<bool> set_paused(const std::string& channel, bool paused,
                                 const std::string& by) override;

private:
  /// Where the next claim of a channel starts to look: claimed rows leave dead index entries to
  /// the left of it. Rows that commit late may lie there too, so now and then a claim starts at
  /// the beginning.
  struct due_floor {
    std::string time = "-infinity";
    std::chrono::steady_clock::time_point last_full;
  };

  std::vector<delivery_job> claim_once(const std::string& channel, uint32_t limit,
                                       caf::timespan lease);

  session session_;
  std::string owner_;
  delivery_statements statements_;
  std::map<std::string, due_floor> floors_;
};

} // namespace notify
