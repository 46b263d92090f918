#pragma once

#include "persistence/ingest_store.hpp"
#include "persistence/session.hpp"

namespace notify {

// The statements on notify.ingest_suspects, as parts of pg_ingest_store. Each belongs into
// `session::run` or a transaction, and throws what the database layer throws.

/// The sign of life of a store: a session-level advisory lock on a key of its own, taken once for
/// each connection, that ends with the connection at the latest. For `session::prepared`.
class life_lock {
public:
  explicit life_lock(soci::session& sql) : sql_(sql) {}

  /// Takes it unless this connection has it. If the server still knows the life's last connection,
  /// that one has it, and the next call tries again.
  void hold(long long key);

private:
  soci::session& sql_;
  bool held_ = false;
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
