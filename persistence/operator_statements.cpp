#include "persistence/operator_statements.hpp"

#include "persistence/job_totals.hpp"
#include "persistence/pg_array.hpp"

namespace notify {

namespace {

// Lock order of both: the jobs by id, then their queue rows, then suppressions by key, then the
// totals, as for results.
//
// Jobs are reached by the array of ids, in every part: a join could be planned over the whole table
// when statistics are old. `found` holds what a job was under its lock.

constexpr auto tell = R"(
select w.id::text, (job.id is not null)::int::bigint,
  case when found.id is null then 'gone' $status end,
  (coalesce(found.unknowns, 0) > 0)::int::bigint,
  ((select count(*) from notify.delivery_attempts a
    where a.job_id = w.id and a.late_result is not null) > 0)::int::bigint
from unnest(:ids::uuid[]) as w(id)
left join found on found.id = w.id
left join job on job.id = w.id
order by w.id
)";

// The next number is above every attempt's: one that was in flight when a late success ended the
// job has a row beyond attempt_count. What may have arrived before is the operator's to judge now,
// so nothing of it is held against the next attempt.
constexpr auto retry_jobs = R"(
with found as materialized (
  select id, status, channel, recipient, attempt_count, unknowns from notify.notification_jobs
  where id = any (:ids::uuid[])
  order by id
  for update),
barred as materialized (
  select s.place
  from (select distinct channel, recipient from found where status = 'dead' order by 1, 2) f,
    lateral (select ctid as place from notify.suppressions s
      where s.channel = f.channel and s.recipient = f.recipient
      for update) s),
job as (
  update notify.notification_jobs j set status = 'open', dead_reason = null, finished_at = null,
    failures = 0, reclaims = 0, interruptions = 0, unknowns = 0, first_unknown_at = null,
    frozen_hash = null, redrives = j.redrives + 1, key_no = j.key_no + :fresh::int,
    updated_at = now()
  where j.id = any (array(select id from found where status = 'dead'))
  returning j.id, j.channel, j.recipient, j.attempt_count),
$counted,
waiting as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select job.id, now(), 1 + greatest(job.attempt_count, coalesce((
    select max(a.attempt_no) from notify.delivery_attempts a where a.job_id = job.id), 0)),
    job.channel
  from job),
lifted as (
  delete from notify.suppressions s where s.ctid = any (array(select place from barred)))
)";

constexpr auto status_of_unretried = R"(
    when found.status <> 'open' then found.status
    when (select q.job_id from notify.job_queue q where q.job_id = w.id) is null then 'processing'
    when found.attempt_count > 0 then 'retry_wait'
    else 'pending')";

// A claim that has a queue row already is waited for; then the row is gone, the job is with a
// worker, and stays there.
constexpr auto cancel_jobs = R"(
with found as materialized (
  select id, status, unknowns from notify.notification_jobs
  where id = any (:ids::uuid[])
  order by id
  for update),
gone as (
  delete from notify.job_queue q
  where q.job_id = any (array(select id from found where status = 'open'))
  returning q.job_id),
job as (
  update notify.notification_jobs j set status = 'cancelled', cancelled_at = now(),
    finished_at = now(), updated_at = now()
  where j.id = any (array(select job_id from gone))
  returning j.id, j.channel, j.attempt_count),
$counted
)";

constexpr auto status_of_uncancelled = R"(
    when found.status <> 'open' then found.status
    else 'processing')";

std::string complete(const std::string& act, const char* status) {
  std::string text = tell;
  text.replace(text.find("$status"), 7, status);
  return act + text;
}

} // namespace

std::vector<act_result> act_on(soci::session& sql, bulk_kind kind, bool fresh_key,
                               const std::vector<uuid>& ids) {
  static const auto retry = complete(
      with_counts(retry_jobs, add_to_totals("job", {{"redriven", ""}})), status_of_unretried);
  static const auto cancel = complete(
      with_counts(cancel_jobs, add_to_totals("job", {{"cancelled", ""},
                                                     {"cancelled_untried", "attempt_count = 0"}})),
      status_of_uncancelled);
  pg_array wanted;
  for (const auto& id : ids)
    wanted.add_uuid(id);
  int fresh = fresh_key ? 1 : 0;
  soci::details::prepare_temp_type prepared = sql.prepare
                                              << (kind == bulk_kind::retry ? retry : cancel);
  prepared, soci::use(wanted.text(), "ids");
  if (kind == bulk_kind::retry)
    prepared, soci::use(fresh, "fresh");
  soci::rowset<soci::row> rows = prepared;
  std::vector<act_result> result;
  for (const auto& row : rows)
    result.push_back({*uuid::parse(row.get<std::string>(0)), row.get<long long>(1) != 0,
                      row.get<std::string>(2), row.get<long long>(3) != 0,
                      row.get<long long>(4) != 0});
  return result;
}

} // namespace notify
