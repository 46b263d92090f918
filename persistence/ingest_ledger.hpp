#pragma once

#include "persistence/ingest_store.hpp"
#include "persistence/pg_array.hpp"

#include <soci/soci.h>

#include <vector>

namespace notify {

// The statements of the ingest transaction that keep the books, as parts of pg_ingest_store, for
// `session::prepared`.

/// How far each partition got.
struct ledger_statement {
  pg_array topics, partitions, firsts, nexts, records;
  soci::statement statement;

  explicit ledger_statement(soci::session& sql);

  /// Several moves of one partition become one.
  void fill(const std::vector<ledger_move>& moves);
};

/// The records of a batch that moves the ledger, by what became of them. Together they are what the
/// ledger counts, or records have got lost.
struct totals_statement {
  long long stored = 0, duplicates = 0, dead_lettered = 0;
  soci::statement statement;

  explicit totals_statement(soci::session& sql);

  void fill(const ingest_batch& batch, const ingest_report& report);
};

} // namespace notify
