#pragma once

#include "persistence/janitor_store.hpp"
#include "persistence/retention_times.hpp"
#include "persistence/session.hpp"

namespace notify {

/// The advisory lock of whoever cleans, held for one transaction. All versions of the service
/// must agree on it.
inline constexpr long long janitor_lock = 7238019465812;

/// The janitor's statements on PostgreSQL. All ages are by the database's clock.
class pg_janitor_store : public janitor_store {
public:
  pg_janitor_store(const postgres_config& config, const retention_times& keep);

  caf::expected<cleaned_batch> clean(retained kind, const sweep_position& after,
                                     uint32_t limit) override;
  caf::expected<uint64_t> backlog(retained kind, const sweep_position& after,
                                  uint32_t look) override;

private:
  bool take_lock();
  bool keeps_for_ever(retained kind) const;

  session session_;
  retention_times keep_;
};

} // namespace notify
