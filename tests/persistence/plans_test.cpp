#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "tests/persistence/samples.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

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
  return db.query("select relname, seq_scan from pg_stat_user_tables where schemaname = 'notify' "
                  "and relname in ('inbox_events', 'notification_jobs', 'job_queue', "
                  "'delivery_attempts', 'suppressions') order by relname");
}

void grow(postgres_fixture& db) {
  // Straight into the tables, so that no statistics exist.
  db.query("insert into notify.inbox_events select md5(g::text)::uuid, 't', 'p', 'a', 'c', now(), "
           "now(), 'orders', 0, g, '', '{}', '' from generate_series(1, 20000) g");
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
}

TEST_CASE("no statement scans a table: new, grown without statistics, or with those of old days") {
  postgres_fixture db;
  for (auto* table :
       {"inbox_events", "notification_jobs", "job_queue", "delivery_attempts", "suppressions"})
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

} // namespace
} // namespace notify
