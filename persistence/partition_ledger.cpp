#include "persistence/partition_ledger.hpp"

#include "persistence/session.hpp"

namespace notify {

caf::expected<std::vector<ledger_position>> read_ledger(const postgres_config& config) {
  session db{config, "ledger", planner::free};
  return db.run([&] {
    std::vector<ledger_position> result;
    soci::rowset<soci::row> rows =
        (db.sql().prepare << "select topic, partition, next_offset"
                             " from notify.partition_ledger order by 1, 2");
    for (const auto& row : rows)
      result.push_back({row.get<std::string>(0), row.get<int>(1), row.get<long long>(2)});
    return result;
  });
}

} // namespace notify
