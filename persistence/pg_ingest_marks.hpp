#pragma once

#include "persistence/ingest_store.hpp"
#include "persistence/session.hpp"

namespace notify {

// The statements on notify.ingest_suspects, as parts of pg_ingest_store. Each belongs into
// `session::run` or a transaction, and throws what the database layer throws.

/// The sign of life of a store: a session-level advisory lock, taken once for each connection, that
/// ends with the connection at the latest. `key` is the life's own.
struct life_lock {
  life_lock(soci::session& sql, long long key);
};

/// Marks of lives that still have their lock come without the work that goes on right now.
std::vector<partition_history> read_history(session& db,
                                            const std::vector<partition_key>& partitions);

void write_marks(session& db, const std::vector<ingest_mark>& marks, long long key);

/// Deletes these very marks; one that another writer has put in a mark's place stays.
void delete_marks(session& db, const std::vector<ingest_mark>& marks, long long key);

/// Gives the lock back while the connection stays.
void release_life(session& db, long long key);

} // namespace notify
