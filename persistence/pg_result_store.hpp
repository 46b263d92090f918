#pragma once

#include "persistence/result_store.hpp"
#include "persistence/session.hpp"

namespace notify {

/// Results on PostgreSQL: any mix of outcomes in one statement.
class pg_result_store : public result_store {
public:
  explicit pg_result_store(const postgres_config& config);

  caf::expected<std::vector<bool>> record(const std::vector<attempt_result>& results,
                                          const std::vector<int64_t>& done_leases) override;

  caf::expected<bool> record_late_success(const attempt_result& result) override;

private:
  session session_;
};

} // namespace notify
