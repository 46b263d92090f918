#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/session.hpp"

namespace notify {

/// Retries and cancellations on PostgreSQL.
class pg_operator_store : public operator_store {
public:
  explicit pg_operator_store(const postgres_config& config);

  caf::expected<operator_verdict> retry(const uuid& job_id, retry_key key) override;
  caf::expected<operator_verdict> cancel(const uuid& job_id) override;

private:
  session session_;
};

} // namespace notify
