#pragma once

#include "persistence/delivery_statements.hpp"
#include "persistence/result_store.hpp"
#include "persistence/session.hpp"

#include <chrono>

namespace notify {

/// Results on PostgreSQL: any mix of outcomes in one statement.
class pg_result_store : public result_store {
public:
  /// `suppress_for`: how long nothing goes to a recipient that refused for good.
  explicit pg_result_store(const postgres_config& config,
                           caf::timespan suppress_for = std::chrono::hours{24 * 30},
                           delivery_statements statements = {});

  caf::expected<std::vector<bool>> record(const std::vector<attempt_result>& results,
                                          const std::vector<int64_t>& done_leases) override;

  caf::expected<bool> record_late_success(const attempt_result& result) override;

private:
  session session_;
  caf::timespan suppress_for_;
  delivery_statements statements_;
};

} // namespace notify
