#pragma once

#include "persistence/ingest_store.hpp"
#include "persistence/session.hpp"

namespace notify {

/// The ingest transaction on PostgreSQL: one statement per table group, whatever the batch size.
class pg_ingest_store : public ingest_store {
public:
  explicit pg_ingest_store(const postgres_config& config);

  caf::expected<ingest_report> store(const ingest_batch& batch) override;
  caf::expected<std::vector<partition_history>>
  look_up(const std::vector<partition_key>& partitions) override;
  caf::error mark(const std::vector<ingest_mark>& marks) override;
  void abandon_marks() override;

private:
  const long long life_; ///< Key of the lock that tells others that this one lives.
  session session_;
};

} // namespace notify
