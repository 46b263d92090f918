#pragma once

#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "tests/persistence/samples.hpp"

#include <string>
#include <vector>

namespace notify::test {

/// A database with the stores of one process.
struct store_fixture {
  using strings = std::vector<std::string>;

  /// Claims exactly `count` jobs, by id.
  std::vector<delivery_job> claim(uint32_t count, const std::string& channel = "email");

  /// Records these results, all of them for the first time.
  void record(const std::vector<attempt_result>& some, const std::vector<int64_t>& done = {});

  reap_report reap(uint32_t limit = 10, int32_t cap = 5);

  /// Ends all leases' time.
  void expire();

  /// Makes everything that waits due.
  void make_due();

  /// Columns of the view's row.
  strings job_row(const uuid& job_id, const std::string& columns);

  /// Columns of the job's last attempt.
  strings attempt_row(const uuid& job_id, const std::string& columns);

  /// Rows of `from`, a table or a table with a condition.
  std::string count(const std::string& from);

  postgres_fixture db;
  pg_claim_store claims{db.config(), uuid::random()};
  pg_result_store results{db.config()};
  pg_reaper_store reaper{db.config()};
};

} // namespace notify::test
