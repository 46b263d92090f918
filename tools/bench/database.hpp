#pragma once

#include "persistence/session.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace notify::bench {

class notifyd_run;
class progress;

/// What a benchmark asks the database of the service under test. Failures are exceptions.
class database {
public:
  explicit database(const std::string& url);

  /// The number that a query gives; 0 for null.
  double value(const std::string& query);

  /// Runs a statement without a result.
  void execute(const std::string& statement);

  /// Transactions committed in this database so far, without those of this session.
  int64_t commits();

  /// Shows `count_query` until it reaches `wanted`; throws if the service ends before.
  void wait_until(notifyd_run& service, progress& bar, const std::string& count_query,
                  uint64_t wanted);

private:
  session db_;
  int64_t own_commits_ = 0;
};

} // namespace notify::bench
