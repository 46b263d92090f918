#pragma once

#include "actors/inbox_writer.hpp"
#include "messages/error.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tests/actors/ingest/sample_records.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/postgres_fixture.hpp"

#include <string>
#include <vector>

namespace notify::test {

/// Leaves what a writer leaves that dies over these records.
inline void die_over(const postgres_fixture& db, const std::vector<ingest_mark>& marks) {
  pg_ingest_store victim{db.config()};
  REQUIRE_FALSE(victim.mark(marks));
  victim.abandon_marks();
}

/// An inbox writer on a real database, in which triggers refuse what a test names.
struct writer_fixture : actor_fixture {
  writer_fixture() {
    db.query("create table refused_ids (event_id uuid primary key, state text not null);"
             "create function refuse() returns trigger language plpgsql as $$ declare code text;"
             " begin"
             "  select state into code from refused_ids where event_id = new.event_id;"
             "  if found then raise exception 'refused by a test' using errcode = code; end if;"
             "  return new;"
             " end $$;"
             "create trigger refuse before insert on notify.inbox_events"
             " for each row execute function refuse();");
    spawn();
  }

  ~writer_fixture() { stop(writer); }

  void spawn() {
    writer = system.spawn(inbox_writer, config, std::make_shared<pg_ingest_store>(db.config()),
                          routes(), dispatcher_resolver{[] { return job_dispatcher_actor{}; }});
    settle();
  }

  /// A new writer on a new session, as after the death of the process.
  void restart() {
    stop(writer);
    spawn();
  }

  caf::expected<batch_stored> store(std::vector<kafka_record> records) {
    return ask<batch_stored>(writer, store_batch{1, std::move(records)});
  }

  /// The database refuses the n-th event, as a fault of its data or otherwise.
  void refuse(uint64_t n, const std::string& sqlstate = "23514") {
    db.query("insert into refused_ids values ('" + to_string(event_id(n)) + "', '" + sqlstate
             + "')");
  }

  /// Good records with these numbers as offsets and ids.
  static std::vector<kafka_record> records(uint64_t first, uint64_t next) {
    std::vector<kafka_record> result;
    for (auto i = first; i < next; ++i)
      result.push_back(record(static_cast<int64_t>(i), envelope(i)));
    return result;
  }

  std::string events() { return db.value("select count(*) from notify.inbox_events"); }

  std::string letters() { return db.value("select count(*) from notify.dead_letters"); }

  /// Events that do not have exactly one job with exactly one queue row.
  std::string uneven_events() {
    return db.value("select count(*) from notify.inbox_events e where 1 <> (select count(*) from "
                    "notify.notification_jobs j join notify.job_queue q on q.job_id = j.id "
                    "where j.event_id = e.event_id)");
  }

  postgres_fixture db;
  inbox_writer_config config;
  inbox_writer_actor writer;
};

} // namespace notify::test
