#pragma once

#include "persistence/ingest_store.hpp"
#include "persistence/session.hpp"

namespace notify {

// The statements on notify.ingest_suspects, as parts of pg_ingest_store. Each belongs into
// `session::run` or a transaction, and throws what the database layer throws.

std::vector<partition_history> read_history(session& db,
                                            const std::vector<partition_key>& partitions);

void write_marks(session& db, const std::vector<ingest_mark>& marks);

/// Deletes these very marks; one that another writer has put in a mark's place stays.
void delete_marks(session& db, const std::vector<ingest_mark>& marks);

} // namespace notify
