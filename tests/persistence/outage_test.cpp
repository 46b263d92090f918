#include "messages/error.hpp"
#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "tests/persistence/samples.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <thread>

namespace notify {
namespace {

using namespace test;

TEST_CASE("a writer whose connection is killed mid-way stored nothing and goes on after it") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  auto batch = sample_batch(10);
  batch.moves = {{"t", 0, 0, 10, 10}};
  raw_connection blocker{db.url()};
  blocker.query("begin; lock table notify.partition_ledger");
  caf::expected<ingest_report> report{ec::none};
  std::jthread writer{[&] { report = store.store(batch); }};
  REQUIRE(blocked(db, "ingest"));
  REQUIRE(db.terminate("ingest") == 1);
  writer.join();
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_unavailable);
  blocker.query("rollback");
  CHECK(db.value("select count(*) from notify.inbox_events") == "0");
  auto again = store.store(batch);
  REQUIRE(again);
  CHECK(again->jobs == 10);
}

TEST_CASE("a commit without an answer is unavailable, and storing the batch again is safe") {
  postgres_fixture db;
  // The trigger runs within COMMIT and waits there.
  db.query("create function wait_in_commit() returns trigger language plpgsql as "
           "$$ begin perform pg_advisory_xact_lock(1); return null; end $$; "
           "create constraint trigger wait_in_commit after insert on notify.inbox_events "
           "deferrable initially deferred for each row execute function wait_in_commit()");
  pg_ingest_store store{db.config()};
  raw_connection blocker{db.url()};
  blocker.query("begin; select pg_advisory_xact_lock(1)");
  caf::expected<ingest_report> report{ec::none};
  std::jthread writer{[&] { report = store.store(sample_batch(10)); }};
  // Not any lock: a statement before may wait for one shortly, e.g. for a vacuum.
  REQUIRE(eventually([&] {
    return db.value("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                    "datname = current_database() and query = 'COMMIT' and application_name = "
                    "'test/ingest'")
           == "1";
  }));
  REQUIRE(db.terminate("ingest") == 1);
  writer.join();
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_unavailable);
  blocker.query("rollback");
  auto again = store.store(sample_batch(10));
  REQUIRE(again);
  CHECK(again->events + again->duplicates == 10);
  CHECK(db.value("select count(*) from notify.notification_jobs") == "10");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE("each store reports a killed connection as unavailable and works again at once") {
  postgres_fixture db;
  ingest(db, 4);
  pg_claim_store claims{db.config(), uuid::random()};
  pg_result_store results{db.config()};
  pg_reaper_store reaper{db.config()};
  auto jobs = claims.claim("email", 2, 60s);
  REQUIRE(jobs);
  db.query("update notify.leases set lease_until = now() - interval '1 second'");
  auto killed = [&](const std::string& role, auto call) {
    raw_connection blocker{db.url()};
    blocker.query("begin; lock table notify.leases in access exclusive mode");
    caf::error error;
    std::jthread caller{[&] {
      auto result = call();
      error = result ? caf::error{} : result.error();
    }};
    REQUIRE(blocked(db, role));
    REQUIRE(db.terminate(role) == 1);
    caller.join();
    CHECK(error == ec::storage_unavailable);
    blocker.query("rollback");
    auto again = call();
    CHECK(again);
  };
  killed("claim", [&] { return claims.claim("email", 2, 60s); });
  killed("reaper", [&] { return reaper.reap(1, 5); });
  killed("result", [&] {
    return results.record({sample_result(jobs->at(0), next_step::sent)}, {jobs->at(0).lease_id});
  });
  killed("claim", [&] { return claims.heartbeat({1, 2, 3}, 60s); });
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE("a read-only database is unavailable until it takes writes again") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  REQUIRE(store.store(sample_batch(1)));
  db.query("alter database " + db.name() + " set default_transaction_read_only = on");
  // For the live session too, as on a primary that became a standby.
  db.terminate("ingest");
  auto report = store.store(sample_batch(2));
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_unavailable);
  db.query("set transaction read write; alter database " + db.name()
           + " reset default_transaction_read_only");
  CHECK(store.store(sample_batch(2)));
}

TEST_CASE("a deadlock is a conflict, and the same batch goes through afterwards") {
  postgres_fixture db;
  pg_ingest_store store{db.config()};
  auto insert = [](uint64_t number) {
    return "insert into notify.inbox_events select '" + to_string(sample_event(number).event_id)
           + "', '', '', '', '', now(), now(), '', 0, 0, '', '{}', ''";
  };
  raw_connection other{db.url()};
  // This side is patient, so that the store's session is the one to find the deadlock.
  other.query("set deadlock_timeout = '1h'; begin; " + insert(2));
  caf::expected<ingest_report> report{ec::none};
  std::jthread writer{[&] { report = store.store(sample_batch(2)); }};
  REQUIRE(blocked(db, "ingest"));
  other.query(insert(1));
  writer.join();
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_conflict);
  other.query("rollback");
  auto again = store.store(sample_batch(2));
  REQUIRE(again);
  CHECK(again->events == 2);
}

TEST_CASE("a statement that takes too long is a conflict, and nothing of it remains") {
  postgres_fixture db;
  auto config = db.config();
  config.statement_timeout = 100ms;
  pg_ingest_store store{config};
  raw_connection blocker{db.url()};
  blocker.query("begin; lock table notify.notification_jobs");
  auto report = store.store(sample_batch(2));
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_conflict);
  blocker.query("rollback");
  CHECK(db.value("select count(*) from notify.inbox_events") == "0");
  CHECK(store.store(sample_batch(2)));
}

TEST_CASE("without tables the stores report the schema, and find it when it is there") {
  postgres_fixture db;
  pg_claim_store claims{db.config(), uuid::random()};
  db.query("alter table notify.job_queue rename to moved");
  auto jobs = claims.claim("email", 1, 60s);
  REQUIRE_FALSE(jobs);
  CHECK(jobs.error() == ec::storage_schema);
  db.query("alter table notify.moved rename to job_queue");
  CHECK(claims.claim("email", 1, 60s));
}

} // namespace
} // namespace notify
