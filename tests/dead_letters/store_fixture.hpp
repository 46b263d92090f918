#pragma once

#include "messages/error.hpp"
#include "persistence/pg_dead_letter_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tests/dead_letters/letter_samples.hpp"
#include "tests/support/postgres_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify::test {

/// Dead letters in a database of their own. Ids begin at 1, in the order of `add`.
struct letter_store_fixture {
  /// Stores them as ingest does, one after the other.
  void add(const std::vector<stored_letter>& some) {
    for (const auto& x : some) {
      ingest_batch batch;
      batch.dead_letters = {to_dead_letter(x)};
      auto report = inbox.store(batch);
      INFO((report ? std::string{} : render(report.error())));
      REQUIRE(report);
    }
  }

  /// Columns of one dead letter, as text.
  std::vector<std::string> row(int64_t id, const std::string& columns) {
    return db
        .query("select " + columns + " from notify.dead_letters where id = " + std::to_string(id))
        .at(0);
  }

  postgres_fixture db;
  pg_ingest_store inbox{db.config()};
  pg_dead_letter_store letters{db.config()};
};

} // namespace notify::test
