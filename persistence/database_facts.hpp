#pragma once

#include "persistence/postgres_config.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// What of a database decides whether the service can work on it. Read by people's tools only.
struct database_facts {
  int32_t version = 0;      ///< As PostgreSQL counts: 150004 is 15.4.
  std::string version_text; ///< For people.
  std::string user;
  bool is_standby = false;
  bool is_read_only = false;
  bool autovacuum = true; ///< Together with the counting that it needs.
  bool fsync = true;
  int64_t clock_ahead_us = 0; ///< By how much its clock is ahead of ours, as far as that is known.
  int64_t clock_doubt_us = 0; ///< How wrong that may be: half of the time that the answer took.
  int64_t free_connections = 0;
  std::vector<std::string> broken_indexes;    ///< In our schema, left by a build that did not end.
  std::vector<std::string> missing_rights;    ///< `update on notify.x`, of this user.
  std::vector<std::string> unvacuumed_tables; ///< Of ours, with autovacuum turned off for them.
};

/// Also of a standby, where no session of the service would connect. Changes nothing. Blocks.
caf::expected<database_facts> read_database_facts(const postgres_config& config);

} // namespace notify
