#include "persistence/migrator.hpp"
#include "persistence/partition_ledger.hpp"
#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_janitor_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "persistence/pg_stats_store.hpp"
#include "tests/persistence/samples.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

constexpr auto big_tables = "('inbox_events', 'notification_jobs', 'job_queue', "
                            "'delivery_attempts', 'suppressions', 'dead_letters')";

/// Everything that is over may go.
retention_times no_history() {
  retention_times x;
  x.jobs = x.dead_jobs = x.inbox = x.dead_letters = 1us;
  return x;
}

void clean_some(postgres_fixture& db, uint32_t limit) {
  pg_janitor_store janitor{db.config(), no_history()};
  for (auto kind : retained_kinds) {
    REQUIRE(janitor.clean(kind, {}, limit));
    REQUIRE(janitor.backlog(kind, {}, limit));
  }
}

// Runs every statement of the stores a few times.
void exercise(postgres_fixture& db, uint64_t first) {
  pg_ingest_store ingests{db.config()};
  pg_claim_store claims{db.config(), uuid::random()};
  pg_result_store results{db.config()};
  pg_reaper_store reaper{db.config()};
  for (uint64_t round = 0; round < 8; ++round) {
    ingest_batch batch;
    for (uint64_t i = 0; i < 50; ++i) {
      batch.events.push_back(sample_event(first + round * 50 + i));
      batch.jobs.push_back(sample_job(batch.events.back()));
    }
    REQUIRE(ingests.store(batch));
    auto jobs = claims.claim("email", 20, 60s);
    REQUIRE(jobs);
    REQUIRE(jobs->size() == 20);
    REQUIRE(claims.heartbeat({jobs->front().lease_id}, 60s));
    std::vector<attempt_result> batch_results;
    for (size_t i = 0; i < 10; ++i)
      batch_results.push_back(
          sample_result(jobs->at(i), i % 2 == 0 ? next_step::sent : next_step::retry));
    batch_results[1].answer.suppress_recipient = true;
    REQUIRE(results.record(batch_results, {}));
    REQUIRE(claims.reserve_sends("email", 10, 1ms));
    REQUIRE(claims.release({ref_of(jobs->at(10)), ref_of(jobs->at(11))}));
    db.query("update notify.leases set lease_until = now() - interval '1 second'");
    auto report = reaper.reap(10, 5);
    REQUIRE(report);
    REQUIRE(report->released == 8);
    REQUIRE(results.record_late_success(sample_result(jobs->at(15), next_step::sent)));
    clean_some(db, 20);
  }
}

// Sequential scans of the tables that grow. A session's counters are visible once it has ended.
postgres_fixture::rows scans(postgres_fixture& db) {
  REQUIRE(eventually([&] {
    return db.value("select count(*) from pg_stat_activity where datname = current_database() "
                    "and application_name like 'test/%'")
           == "0";
  }));
  db.query("select pg_stat_force_next_flush()");
  db.query("select pg_stat_clear_snapshot()");
  return db.query(
      std::string{"select relname, seq_scan from pg_stat_user_tables where schemaname = 'notify' "
                  "and relname in "}
      + big_tables + " order by relname");
}

// Pages of these tables' indexes that were read, by all sessions that have ended.
int64_t index_pages(postgres_fixture& db) {
  scans(db);
  return std::stoll(db.value(std::string{"select sum(idx_blks_read + idx_blks_hit) "
                                         "from pg_statio_user_tables "
                                         "where schemaname = 'notify' and relname in "}
                             + big_tables));
}

void grow(postgres_fixture& db) {
  // Straight into the tables, so that no statistics exist.
  db.query(
      "insert into notify.inbox_events select md5(g::text)::uuid, 't', 'p', 'a', 'c', now(), "
      "now() - interval '60 days', 'orders', 0, g, '', '{}', '' from generate_series(1, 20000) g");
  db.query("insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, "
           "template_key, locale, status, finished_at) select md5('j' || g)::uuid, "
           "md5(g::text)::uuid, 't', 'email', 'r', 'k', 'en', 'sent', now() "
           "from generate_series(1, 20000) g");
  db.query("insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, "
           "finished_at) select md5('j' || g)::uuid, 1, 'sent', now(), now() "
           "from generate_series(1, 20000) g");
  db.query("insert into notify.suppressions (channel, recipient, reason, job_id, suppressed_until) "
           "select 'email', 'r' || g, 'x', gen_random_uuid(), now() "
           "from generate_series(1, 20000) g");
  db.query("insert into notify.dead_letters (topic, partition, \"offset\", timestamp_ms, "
           "header_names, header_values, reason, detail, published_at) select 't', 0, g, 1, '{}', "
           "'{}', 'r', 'd', case when g % 2 = 0 then now() end from generate_series(1, 20000) g");
}

TEST_CASE("no statement scans a table: new, grown without statistics, or with those of old days") {
  postgres_fixture db;
  for (auto* table : {"inbox_events", "notification_jobs", "job_queue", "delivery_attempts",
                      "suppressions", "dead_letters"})
    db.query(std::string{"alter table notify."} + table + " set (autovacuum_enabled = off)");
  auto unchanged_by = [&](auto work) {
    auto before = scans(db);
    work();
    CHECK(scans(db) == before);
  };
  unchanged_by([&] { exercise(db, 1000); });
  db.query("analyze notify.notification_jobs, notify.inbox_events, notify.job_queue, "
           "notify.delivery_attempts, notify.leases, notify.suppressions");
  grow(db);
  unchanged_by([&] { exercise(db, 2000); });
  db.query("analyze notify.notification_jobs, notify.inbox_events, notify.job_queue, "
           "notify.delivery_attempts, notify.leases, notify.suppressions");
  unchanged_by([&] { exercise(db, 3000); });
}

TEST_CASE("D-E5: a start and the figures for a scrape cost the same with few rows and with many") {
  postgres_fixture db;
  auto look = [&] {
    // What a start looks at, and then each round of figures.
    REQUIRE(schema_state(db.config()));
    REQUIRE(read_ledger(db.config()));
    pg_stats_store stats{db.config(), 30s};
    REQUIRE(stats.count());
    REQUIRE(stats.health());
    REQUIRE(stats.books());
  };
  auto cost = [&] {
    auto before = index_pages(db);
    auto scanned = scans(db);
    look();
    CHECK(scans(db) == scanned);
    return index_pages(db) - before;
  };
  exercise(db, 1000);
  auto few = cost();
  grow(db);
  CHECK(cost() < few + 50);
  db.query("analyze");
  CHECK(cost() < few + 50);
}

TEST_CASE("Q-B25: a batch of the janitor reads as much as it is large, however large the tables") {
  postgres_fixture db;
  grow(db);
  auto cost = [&] {
    auto before = index_pages(db);
    clean_some(db, 100);
    return index_pages(db) - before;
  };
  // Each of 100 rows is reached some ten times, by way of two pages; a walk through one of the
  // indexes for each would be twice as much at least.
  constexpr int64_t most = 5000;
  CHECK(cost() < most);
  db.query("analyze");
  CHECK(cost() < most);
  // Almost nothing of it may go: a batch passes by no more rows than its limit.
  db.query("update notify.notification_jobs set status = 'open', finished_at = null");
  CHECK(cost() < most);
}

} // namespace
} // namespace notify
