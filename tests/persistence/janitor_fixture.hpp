#pragma once

#include "messages/error.hpp"
#include "persistence/pg_janitor_store.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify::test {

/// A database with the stores of one process and its janitor, which keeps everything for as long
/// as the defaults say.
struct janitor_fixture : store_fixture {
  /// Takes any one job to `next`, and ends its lease.
  delivery_job finish(next_step next) {
    auto job = claim(1).front();
    record({sample_result(job, next)}, {job.lease_id});
    return job;
  }

  /// Makes all jobs and events older.
  void age(const std::string& interval) {
    db.query("update notify.notification_jobs set created_at = created_at - interval '" + interval
             + "', finished_at = finished_at - interval '" + interval + "'");
    db.query("update notify.inbox_events set received_at = received_at - interval '" + interval
             + "'");
  }

  cleaned_batch clean_batch(janitor_store& by, retained kind, const sweep_position& after,
                            uint32_t limit) {
    auto batch = by.clean(kind, after, limit);
    if (!batch)
      FAIL(render(batch.error()));
    return *batch;
  }

  /// Everything of one kind, in batches. Returns how many rows went; events that went with jobs
  /// are added to `events`.
  uint64_t clean(janitor_store& by, retained kind, uint32_t limit = 3) {
    uint64_t sum = 0;
    sweep_position position;
    for (;;) {
      auto batch = clean_batch(by, kind, position, limit);
      REQUIRE(batch.is_ours);
      sum += batch.deleted;
      events += batch.events;
      position = batch.last;
      if (batch.looked_at < limit)
        return sum;
    }
  }

  uint64_t clean(retained kind) { return clean(janitor, kind); }

  /// Everything that may go, as a pass does it.
  uint64_t clean_all(janitor_store& by) {
    uint64_t sum = 0;
    for (auto kind : retained_kinds)
      sum += clean(by, kind);
    return sum;
  }

  uint64_t clean_all() { return clean_all(janitor); }

  uint64_t backlog(retained kind) {
    auto rest = janitor.backlog(kind, {}, 1'000'000);
    if (!rest)
      FAIL(render(rest.error()));
    return *rest;
  }

  /// Attempts whose job is gone.
  std::string orphans() {
    return count("notify.delivery_attempts a where not exists (select from "
                 "notify.notification_jobs j where j.id = a.job_id)");
  }

  /// `count` jobs that ended 40 days ago, each with its event and an attempt; and between them, as
  /// old, `open` that still wait.
  void seed(uint32_t count, uint32_t open) {
    auto n = std::to_string(count);
    auto every = std::to_string(open > 0 ? count / open : 2 * count);
    db.query(
        "create temp table seed as select g, md5('e' || g)::uuid as event_id, md5('j' || g)::uuid "
        "as id, now() - interval '40 days' + g * interval '1 millisecond' as at, "
        "g > "
        + n + " as is_open from (select generate_series(1, " + n + ") as g union all select " + n
        + " + g from generate_series(1, " + std::to_string(open) + ") as g) s");
    db.query("update seed set at = at - (g - (g - " + n + ") * " + every
             + ") * interval '1 millisecond' where is_open");
    db.query("insert into notify.inbox_events select event_id, 't', 'p', 'a', 'c', at, at, "
             "'orders', 0, g, '', '{}', '' from seed");
    db.query("insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, "
             "template_key, locale, created_at, status, finished_at, attempt_count) "
             "select id, event_id, 't', 'email', 'r', 'k', 'en', at, "
             "case when is_open then 'open' else 'sent' end, case when not is_open then at end, "
             "(not is_open)::int from seed");
    db.query("insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, "
             "finished_at) select id, 1, 'sent', at, at from seed where not is_open");
    db.query("insert into notify.job_queue (job_id, due_at, attempt_no, channel) "
             "select id, at, 1, 'email' from seed where is_open");
    db.query("drop table seed");
  }

  uint64_t events = 0;
  retention_times times;
  pg_janitor_store janitor{db.config(), times};
};

} // namespace notify::test
