#pragma once

#include "persistence/migrations.hpp"
#include "persistence/postgres_config.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// What a run of the migrator did.
struct migration_report {
  int32_t from = 0; ///< Version before; 0: an empty database.
  int32_t to = 0;   ///< Version now.
  std::vector<std::string> applied;
};

/// Where the database's schema stands.
struct schema_report {
  int32_t version = 0;              ///< Of the database; 0: no schema.
  int32_t wanted = 0;               ///< Of this binary. The service runs only if both are equal.
  std::vector<std::string> pending; ///< The migrations in between.
};

/// Brings schema `notify` to the version of this binary. Safe to call from many processes at once:
/// an advisory lock lets one of them work, the others find nothing to do; who waited for it longer
/// than `lock_timeout` gets `storage_conflict`. Each migration commits for itself, so a run that
/// stopped goes on where it was.
///
/// Refuses with `storage_schema` a database that is newer than the binary, whose applied
/// migrations differ from the embedded ones, or whose encoding is not UTF-8.
caf::expected<migration_report> migrate(const postgres_config& config,
                                        std::span<const migration> known = embedded_migrations());

/// Compares without changing anything; the same refusals as `migrate`.
caf::expected<schema_report> schema_state(const postgres_config& config,
                                          std::span<const migration> known = embedded_migrations());

} // namespace notify
