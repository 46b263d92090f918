#include "tests/integration/ingest/writer_fixture.hpp"

#include <memory>
#include <stdexcept>

// Marks in notify.ingest_suspects whose writer lives are no deaths: see
// docs/adr/0013-records-that-kill-the-process.md.

namespace notify::test {
namespace {

TEST_CASE_METHOD(writer_fixture,
                 "marks of writers that live blame nobody, however many there are") {
  // Its partition moved on while each of them was still at work.
  std::vector<std::unique_ptr<pg_ingest_store>> living;
  for (int i = 0; i < 5; ++i) {
    auto& x = living.emplace_back(std::make_unique<pg_ingest_store>(db.config()));
    auto history = x->look_up({{"orders", 0}});
    REQUIRE(history);
    CHECK_FALSE(history->front().mark);
    REQUIRE_FALSE(x->mark({{"orders", 0, 0, 100, 1}}));
  }
  db.query("create sequence statements; create function count_it() returns trigger language plpgsql"
           " as $$ begin perform nextval('statements'); return null; end $$;"
           " create trigger count_it before insert on notify.inbox_events"
           " for each statement execute function count_it()");
  REQUIRE(store(records(0, 100)));
  CHECK(events() == "100");
  CHECK(letters() == "0");
  CHECK(db.value("select last_value from statements") == "1");
}

TEST_CASE_METHOD(writer_fixture, "a trial that goes on elsewhere keeps the deaths before it, and "
                                 "adds none") {
  die_over(db, {{"orders", 0, 1, 2, 2}});
  pg_ingest_store living{db.config()};
  REQUIRE_FALSE(living.mark({{"orders", 0, 1, 2, 3}}));
  auto history = pg_ingest_store{db.config()}.look_up({{"orders", 0}});
  REQUIRE(history);
  REQUIRE(history->front().mark);
  CHECK(history->front().mark->attempts == 2);
  restart();
  REQUIRE(store(records(0, 3)));
  CHECK(events() == "3");
  CHECK(letters() == "0");
  CHECK(db.value("select count(*) from notify.ingest_suspects") == "0");
}

TEST_CASE_METHOD(writer_fixture, "a writer that is done takes away its own mark, not that of the "
                                 "next one at the same records") {
  pg_ingest_store first{db.config()};
  pg_ingest_store second{db.config()};
  const ingest_mark mark{"orders", 0, 0, 3, 1};
  REQUIRE_FALSE(first.mark({mark}));
  REQUIRE_FALSE(second.mark({mark}));
  ingest_batch done;
  done.finished = {mark};
  REQUIRE(first.store(done));
  CHECK(db.value("select count(*) from notify.ingest_suspects") == "1");
  REQUIRE(second.store(done));
  CHECK(db.value("select count(*) from notify.ingest_suspects") == "0");
}

TEST_CASE_METHOD(writer_fixture, "a writer whose connection broke still takes its mark away") {
  pg_ingest_store writer_of_marks{db.config()};
  const ingest_mark mark{"orders", 0, 0, 3, 1};
  REQUIRE_FALSE(writer_of_marks.mark({mark}));
  // Other tests have databases of their own on the same server.
  db.query("select pg_terminate_backend(l.pid) from pg_locks l join pg_database d"
           " on d.oid = l.database and d.datname = current_database()"
           " where l.locktype = 'advisory'");
  ingest_batch done;
  done.finished = {mark};
  if (!writer_of_marks.store(done))
    REQUIRE(writer_of_marks.store(done));
  CHECK(db.value("select count(*) from notify.ingest_suspects") == "0");
}

TEST_CASE_METHOD(writer_fixture, "a writer that is back before the server has noticed its old "
                                 "connection's end is known to live") {
  pg_ingest_store living{db.config()};
  REQUIRE_FALSE(living.mark({{"orders", 0, 0, 3, 1}}));
  auto key = db.value("select holder from notify.ingest_suspects");
  db.query("select pg_terminate_backend(pid, 10000) from pg_stat_activity"
           " where datname = current_database() and application_name = 'test/ingest'");
  // In the place of the old connection.
  raw_connection lingering{db.url()};
  lingering.query("select pg_advisory_lock(" + key + ")");
  if (living.mark({{"orders", 0, 3, 6, 1}}))
    REQUIRE_FALSE(living.mark({{"orders", 0, 3, 6, 1}}));
  lingering.query("select pg_advisory_unlock(" + key + ")");
  REQUIRE_FALSE(living.mark({{"orders", 0, 6, 9, 1}}));
  auto history = pg_ingest_store{db.config()}.look_up({{"orders", 0}});
  REQUIRE(history);
  CHECK_FALSE(history->front().mark);
}

/// Its writer dies of an exception over the first batch.
class deadly_store : public pg_ingest_store {
public:
  using pg_ingest_store::pg_ingest_store;

  caf::expected<ingest_report> store(const ingest_batch&) override {
    throw std::runtime_error{"deadly"};
  }
};

TEST_CASE_METHOD(writer_fixture, "a writer that dies of an exception is a death at once, while its "
                                 "connection is still there") {
  // Kept by the test, as a connection that takes its time.
  auto deadly = std::make_shared<deadly_store>(db.config());
  auto victim = system.spawn(inbox_writer, config, ingest_store_ptr{deadly}, routes(),
                             dispatcher_resolver{[] { return job_dispatcher_actor{}; }});
  settle();
  auto answer = ask<batch_stored>(victim, store_batch{1, records(0, 3)});
  REQUIRE_FALSE(answer);
  auto history = pg_ingest_store{db.config()}.look_up({{"orders", 0}});
  REQUIRE(history);
  REQUIRE(history->front().mark);
  CHECK(history->front().mark->attempts == 1);
  CHECK(history->front().mark->next_offset == 3);
}

} // namespace
} // namespace notify::test
