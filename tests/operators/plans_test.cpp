#include "tests/operators/populated_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

namespace notify::test {
namespace {

constexpr auto big_tables =
    "('inbox_events', 'notification_jobs', 'job_queue', 'delivery_attempts', 'suppressions')";

/// A session's counters are visible once it has ended.
void settle_counters(postgres_fixture& db) {
  REQUIRE(eventually([&] {
    return db.value("select count(*) from pg_stat_activity where datname = current_database() "
                    "and application_name like 'test/%'")
           == "0";
  }));
  db.query("select pg_stat_force_next_flush()");
  db.query("select pg_stat_clear_snapshot()");
}

postgres_fixture::rows scans(postgres_fixture& db) {
  settle_counters(db);
  return db.query(std::string{"select relname, seq_scan from pg_stat_user_tables where schemaname "
                              "= 'notify' and relname in "}
                  + big_tables + " order by relname");
}

int64_t pages_read(postgres_fixture& db) {
  settle_counters(db);
  return std::stoll(
      db.value(std::string{"select sum(heap_blks_read + heap_blks_hit + idx_blks_read "
                           "+ idx_blks_hit) from pg_statio_user_tables "
                           "where schemaname = 'notify' and relname in "}
               + big_tables));
}

/// Every question and act, on sessions that end with it.
void ask_everything(postgres_fixture& db) {
  read_bounds bounds;
  bounds.look = 200;
  bounds.patience = caf::timespan{0};
  bounds.preview_patience = caf::timespan{0};
  pg_read_store reads{db.config(), bounds};
  pg_operator_store acts{db.config()};
  pg_operation_store operations{db.config()};
  for (const auto& x : sample_filters()) {
    auto page = required(reads.list({x.filter, 20, ""}));
    if (!page.next.empty())
      required(reads.list({x.filter, 20, page.next}));
    required(reads.preview({bulk_kind::retry, x.filter}));
    required(acts.start({bulk_kind::retry, x.filter, false, "ada"}));
    required(operations.work({20, 200}));
    required(acts.start({bulk_kind::cancel, x.filter, false, "ada"}));
    required(operations.work({20, 200}));
    for (const auto& item : page.items) {
      required(reads.notification(item.id));
      required(reads.event(item.event_id));
      acts.retry({item.id, false, "ada"});
      acts.cancel(cancel_notification{item.id, "ada"});
    }
  }
  required(reads.operations({}));
  required(reads.audit({"", "x", "", 10, ""}));
}

TEST_CASE("D-E5: no question and no act scans a table, whatever the statistics say") {
  postgres_fixture db;
  for (auto* table : {"inbox_events", "notification_jobs", "job_queue", "delivery_attempts"})
    db.query(std::string{"alter table notify."} + table + " set (autovacuum_enabled = off)");
  populate(db, 1, 500);
  auto unchanged = [&] {
    auto before = scans(db);
    ask_everything(db);
    CHECK(scans(db) == before);
  };
  unchanged();
  db.query("analyze");
  populate(db, 1'000, 20'000); // Those of old days.
  unchanged();
  db.query("analyze");
  unchanged();
}

TEST_CASE("D-G1, D-G3: an answer costs the same in a table of any size, on any page") {
  postgres_fixture db;
  auto cost = [&](const notification_filter& filter, const std::string& cursor) {
    auto before = pages_read(db);
    read_bounds bounds;
    bounds.look = 200;
    bounds.patience = caf::timespan{0};
    required(pg_read_store{db.config(), bounds}.list({filter, 20, cursor}));
    return pages_read(db) - before;
  };
  populate(db, 1, 30'000);
  db.query("analyze");
  for (const auto& x : sample_filters()) {
    INFO(x.name);
    // Those that wait are few in life: they are sorted, and here they are many for their kind.
    auto few = x.filter.status == "pending" || x.filter.status == "retry_wait"
               || x.filter.status == "processing" || !x.filter.error_code.empty();
    if (few)
      continue;
    // 200 rows are reached by way of three pages at most, some of them looked up in two tables.
    CHECK(cost(x.filter, "") < 2'000);
    // As if one had come to the middle.
    auto place = db.query("select (extract(epoch from created_at) * 1000000)::bigint, id from "
                          "notify.notification_jobs order by created_at desc offset 15000 limit 1")
                     .at(0);
    CHECK(cost(x.filter,
               make_cursor({std::stoll(place[0]), *uuid::parse(place[1])}, hash_of(x.filter)))
          < 2'000);
  }
}

TEST_CASE("sending a notification still touches no index") {
  postgres_fixture db;
  ingest(db, 200);
  auto updates = [&](const char* column) {
    settle_counters(db);
    return std::stoll(db.value(std::string{"select "} + column
                               + " from pg_stat_user_tables where relname = 'notification_jobs'"));
  };
  {
    pg_claim_store claims{db.config(), uuid::random()};
    pg_result_store results{db.config()};
    auto jobs = claims.claim("email", 200, 60s);
    REQUIRE(jobs);
    std::vector<attempt_result> some;
    for (size_t i = 0; i < jobs->size(); ++i)
      some.push_back(sample_result(jobs->at(i), i % 2 == 0 ? next_step::sent : next_step::retry));
    REQUIRE(results.record(some, {}));
  }
  CHECK(updates("n_tup_upd") == 200);
  CHECK(updates("n_tup_hot_upd") > 150);
}

} // namespace
} // namespace notify::test
