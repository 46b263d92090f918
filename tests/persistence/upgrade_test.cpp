#include "messages/error.hpp"
#include "persistence/migrator.hpp"
#include "persistence/pg_claim_store.hpp"
#include "tests/persistence/samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace notify {
namespace {

using namespace test;

// Jobs as version 1 left them: one never tried, one that may have been sent twice and waits, one
// in flight after it was reclaimed, one dead after a lost answer, one refused and waiting, one sent
// after a lost answer.
constexpr auto data_of_version_1 = R"(
insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, template_key,
  locale, status, dead_reason, finished_at, attempt_count, failures, interruptions)
select ('00000000-0000-0000-0000-00000000000' || n)::uuid, gen_random_uuid(), 't', 'email', 'r',
  'k', 'en', status, dead_reason, case when status <> 'open' then now() end, attempts,
  case n when 5 then 0 else attempts end, case n when 5 then 1 else 0 end
from (values (1, 'open', null, 0), (2, 'open', null, 3), (3, 'open', null, 1),
  (4, 'dead', 'attempts_exhausted', 1), (5, 'open', null, 1), (6, 'sent', null, 2))
  as x(n, status, dead_reason, attempts);
insert into notify.job_queue (job_id, due_at, attempt_no, channel)
select id, now(), attempt_count + 1, channel from notify.notification_jobs
where status = 'open' and id <> '00000000-0000-0000-0000-000000000003';
insert into notify.leases (owner, channel, lease_until, job_ids, attempt_nos)
values (gen_random_uuid(), 'email', now() + interval '1 hour',
  '{00000000-0000-0000-0000-000000000003}', '{2}');
insert into notify.delivery_attempts (job_id, attempt_no, result, content_hash, started_at,
  finished_at)
select ('00000000-0000-0000-0000-00000000000' || n)::uuid, attempt_no, result, hash,
  '2026-01-01'::timestamptz + attempt_no * interval '1 day', now()
from (values (2, 1, 'retryable_provider_error', 'h1'), (2, 2, 'unknown_outcome', 'h2'),
  (2, 3, 'unknown_outcome', 'h3'), (3, 1, 'abandoned', null), (4, 1, 'unknown_outcome', 'h1'),
  (5, 1, 'retryable_provider_error', 'h1'), (6, 1, 'unknown_outcome', 'h1'), (6, 2, 'sent', 'h1'))
  as x(n, attempt_no, result, hash);
)";

struct old_database {
  old_database() {
    auto report = migrate(db.config(), embedded_migrations().first(1));
    if (!report)
      FAIL(render(report.error()));
    db.query(data_of_version_1);
  }

  void upgrade() {
    auto report = migrate(db.config());
    if (!report)
      FAIL(render(report.error()));
    CHECK(report->from == 1);
  }

  postgres_fixture db{postgres_fixture::schema::empty};
};

TEST_CASE_METHOD(old_database, "a database of version 1 with data becomes one of today") {
  upgrade();
  CHECK(db.query("select right(id::text, 1), status, unknowns, "
                 "(first_unknown_at at time zone 'UTC')::date "
                 "from notify.notifications order by id")
        == postgres_fixture::rows{{"1", "pending", "0", "NULL"},
                                  {"2", "retry_wait", "2", "2026-01-03"},
                                  {"3", "processing", "1", "2026-01-02"},
                                  {"4", "dead", "1", "2026-01-02"},
                                  // Held before: it has no failure, but waits for a second attempt.
                                  {"5", "retry_wait", "0", "NULL"},
                                  // Nobody will send it again.
                                  {"6", "sent", "0", "NULL"}});
  pg_claim_store claims{db.config(), uuid::random()};
  auto jobs = claims.claim("email", 10, 60s);
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 3);
  for (const auto& job : *jobs) {
    CHECK(job.unknowns == (job.job_id.low == 2 ? 2 : 0));
    CHECK(job.frozen_hash == (job.job_id.low == 2 ? "h2" : ""));
  }
}

TEST_CASE_METHOD(old_database, "an upgraded table of jobs has two indexes more, for questions, and "
                               "none over what sending a job changes") {
  auto indexes =
      "select indexname from pg_indexes where tablename = 'notification_jobs' order by 1";
  auto wanted = db.query(indexes);
  upgrade();
  wanted.push_back({"notification_jobs_cancelled"});
  wanted.push_back({"notification_jobs_recipient"});
  std::sort(wanted.begin(), wanted.end());
  CHECK(db.query(indexes) == wanted);
  CHECK(db.query("select distinct a.attname from pg_index i join pg_attribute a on a.attrelid = "
                 "i.indrelid and a.attnum = any (i.indkey) where i.indrelid = "
                 "'notify.notification_jobs'::regclass order by 1")
        == postgres_fixture::rows{{"created_at"}, {"event_id"}, {"id"}, {"recipient"}});
}

TEST_CASE("Q-B25: an index that was broken off is no obstacle, and does not stay behind") {
  postgres_fixture db{postgres_fixture::schema::empty};
  REQUIRE(migrate(db.config(), embedded_migrations().first(2)));
  db.query("create index inbox_events_received on notify.inbox_events (topic)");
  db.query("update pg_index set indisvalid = false "
           "where indexrelid = 'notify.inbox_events_received'::regclass");
  auto report = migrate(db.config());
  if (!report)
    FAIL(render(report.error()));
  CHECK(db.value("select count(*) from pg_index where not indisvalid") == "0");
  CHECK(db.value("select indexdef from pg_indexes where indexname = 'inbox_events_received'")
            .ends_with("(received_at, event_id)"));
}

} // namespace
} // namespace notify
