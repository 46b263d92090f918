#pragma once

#include "persistence/delivery_statements.hpp"
#include "persistence/reaper_store.hpp"
#include "persistence/session.hpp"

namespace notify {

/// The reaper's statement on PostgreSQL.
class pg_reaper_store : public reaper_store {
public:
  explicit pg_reaper_store(const postgres_config& config, delivery_statements statements = {});

  caf::expected<reap_report> reap(uint32_t limit, int32_t cap) override;

private:
  session session_;
  delivery_statements statements_;
};

} // namespace notify
