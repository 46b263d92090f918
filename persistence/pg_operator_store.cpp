#include "persistence/pg_operator_store.hpp"

#include "persistence/job_totals.hpp"

#include <string>

namespace notify {

namespace {

// Lock order: the job, then its queue row, which is new, then the suppression, then the totals, as
// for results.
//
// The next number is above every attempt's: one that was in flight when a late success ended the
// job has a row beyond attempt_count. What may have arrived before is the operator's to judge now,
// so nothing of it is held against the next attempt.
constexpr auto retry_job = R"(
with found as materialized (
  select id, status from notify.notification_jobs where id = :id::uuid for update),
job as (
  update notify.notification_jobs j set status = 'open', dead_reason = null, finished_at = null,
    failures = 0, reclaims = 0, interruptions = 0, unknowns = 0, first_unknown_at = null,
    frozen_hash = null, redrives = j.redrives + 1, key_no = j.key_no + :fresh::int,
    updated_at = now()
  from found
  where j.id = found.id and found.status = 'dead'
  returning j.id, j.channel, j.recipient, j.attempt_count),
$counted,
waiting as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select job.id, now(), 1 + greatest(job.attempt_count, coalesce((
    select max(a.attempt_no) from notify.delivery_attempts a where a.job_id = job.id), 0)),
    job.channel
  from job),
lifted as (
  delete from notify.suppressions s using job
  where s.channel = job.channel and s.recipient = job.recipient)
select (select count(*) from found), (select count(*) from job)
)";

// Lock order: the job, then its queue row, then the totals. A claim that has the row already is
// waited for; then the row is gone, the job is with a worker, and stays there.
constexpr auto cancel_job = R"(
with found as materialized (
  select id, status from notify.notification_jobs where id = :id::uuid for update),
gone as (
  delete from notify.job_queue q using found
  where q.job_id = found.id and found.status = 'open'
  returning q.job_id),
job as (
  update notify.notification_jobs j set status = 'cancelled', finished_at = now(),
    updated_at = now()
  from gone
  where j.id = gone.job_id
  returning j.id, j.channel, j.attempt_count),
$counted
select (select count(*) from found), (select count(*) from job)
)";

operator_verdict verdict(long long found, long long changed) {
  if (changed > 0)
    return operator_verdict::done;
  return found > 0 ? operator_verdict::wrong_status : operator_verdict::not_found;
}

} // namespace

pg_operator_store::pg_operator_store(const postgres_config& config)
    : session_(config, "operator") {}

caf::expected<operator_verdict> pg_operator_store::retry(const uuid& job_id, retry_key key) {
  return session_.run([&] {
    auto id = to_string(job_id);
    int fresh = key == retry_key::fresh ? 1 : 0;
    long long found = 0;
    long long changed = 0;
    session_.sql() << with_counts(retry_job, add_to_totals("job", {{"redriven", ""}})),
        soci::use(id, "id"), soci::use(fresh, "fresh"), soci::into(found), soci::into(changed);
    return verdict(found, changed);
  });
}

caf::expected<operator_verdict> pg_operator_store::cancel(const uuid& job_id) {
  return session_.run([&] {
    auto id = to_string(job_id);
    long long found = 0;
    long long changed = 0;
    session_.sql() << with_counts(
        cancel_job,
        add_to_totals("job", {{"cancelled", ""}, {"cancelled_untried", "attempt_count = 0"}})),
        soci::use(id, "id"), soci::into(found), soci::into(changed);
    return verdict(found, changed);
  });
}

} // namespace notify
