#pragma once

#include "persistence/postgres_config.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// How far one partition was stored, by the database's own account.
struct ledger_position {
  std::string topic;
  int32_t partition = 0;
  int64_t next_offset = 0; ///< One past the last record of the batch that was stored last.
};

/// Every partition that records were ever stored of, by topic and number. Blocks.
caf::expected<std::vector<ledger_position>> read_ledger(const postgres_config& config);

} // namespace notify
