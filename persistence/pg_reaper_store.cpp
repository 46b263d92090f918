#include "persistence/pg_reaper_store.hpp"

namespace notify {

namespace {

// Lock order: leases first (whoever holds one is skipped), then by key each attempt with its job,
// then queue rows, as for results. Whether an attempt was recorded is decided by the insert; the
// look before it only saves useless inserts.
constexpr auto reap_leases = R"(
with expired as materialized (
  select id, claimed_at, job_ids, attempt_nos from notify.leases
  where lease_until < now()
  order by id
  limit :limit::int
  for update skip locked),
entry as (
  select u.job_id, u.attempt_no, expired.claimed_at
  from expired, unnest(expired.job_ids, expired.attempt_nos) as u(job_id, attempt_no)
  where not exists (select from notify.delivery_attempts a
    where a.job_id = u.job_id and a.attempt_no = u.attempt_no)),
abandoned as (
  insert into notify.delivery_attempts (job_id, attempt_no, result, budget, error_code,
    started_at, finished_at)
  select job_id, attempt_no, 'abandoned', 'reclaim', 'lease_expired', claimed_at, now()
  from entry
  order by job_id, attempt_no
  on conflict do nothing
  returning job_id, attempt_no),
job as (
  update notify.notification_jobs j set
    status = case when j.reclaims >= :cap1::int then 'dead' else 'open' end,
    dead_reason = case when j.reclaims >= :cap2::int then 'reclaim_limit' end,
    finished_at = case when j.reclaims >= :cap3::int then now() end,
    reclaims = j.reclaims + 1, attempt_count = a.attempt_no,
    last_error_class = 'unknown_outcome', last_error_code = 'lease_expired', updated_at = now()
  from abandoned a
  where j.id = a.job_id and j.status = 'open'
  returning j.id, j.channel, j.status, a.attempt_no),
again as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select id, now(), attempt_no + 1, channel from job where status = 'open'),
gone as (
  delete from notify.leases l using expired where l.id = expired.id returning l.id)
select (select count(*) from gone), count(*) filter (where status = 'open'),
  count(*) filter (where status = 'dead')
from job
)";

struct reap_statement {
  int limit = 0, cap = 0;
  long long leases = 0, released = 0, dead = 0;
  soci::statement statement;

  explicit reap_statement(soci::session& sql)
      : statement((sql.prepare << reap_leases, soci::use(limit, "limit"), soci::use(cap, "cap1"),
                   soci::use(cap, "cap2"), soci::use(cap, "cap3"), soci::into(leases),
                   soci::into(released), soci::into(dead))) {}
};

} // namespace

pg_reaper_store::pg_reaper_store(const postgres_config& config) : session_(config, "reaper") {}

caf::expected<reap_report> pg_reaper_store::reap(uint32_t limit, int32_t cap) {
  return session_.run([&] {
    auto& x = session_.prepared<reap_statement>();
    x.limit = static_cast<int>(limit);
    x.cap = cap;
    x.statement.execute(true);
    return reap_report{static_cast<uint64_t>(x.leases), static_cast<uint64_t>(x.released),
                       static_cast<uint64_t>(x.dead)};
  });
}

} // namespace notify
