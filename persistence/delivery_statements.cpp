#include "persistence/delivery_statements.hpp"

#include "persistence/job_totals.hpp"

namespace notify {

namespace {

// Lock order: queue rows (whoever holds one is skipped), then the new lease row, which nobody
// else can see. Jobs are read without a lock, so a claim never waits.
//
// The rows are deleted by their place: they are locked, so it is theirs still. A queue row whose
// job is not open cannot exist; if it did, it would end here instead of at a customer. The floor
// stays behind the last row by more than an ingest transaction takes.
//
// Suppressions are looked up row by row, by primary key: a join could be planned over all of a
// channel's when statistics are old.
constexpr auto claim_jobs_sql = R"(
with due as materialized (
  select q.ctid as place, q.job_id, q.attempt_no, q.due_at
  from notify.job_queue q
  where q.channel = :channel and q.due_at <= now() and q.due_at >= :floor::timestamptz
    and not exists (select from notify.channel_pauses p where p.channel = :channel)
  order by q.due_at
  limit :limit::int
  for update skip locked),
gone as (
  delete from notify.job_queue q using due where q.ctid = due.place),
ready as materialized (
  select due.job_id, due.attempt_no, j.created_at, j.recipient, j.template_key, j.locale,
    j.event_id, j.event_type, j.failures, j.reclaims, j.unknowns, j.first_unknown_at, j.frozen_hash,
    j.expires_at, j.key_no
  from due join notify.notification_jobs j on j.id = due.job_id
  where j.status = 'open'),
lease as (
  insert into notify.leases (owner, channel, lease_until, job_ids, attempt_nos)
  select :owner::uuid, :channel, now() + :lease_us::bigint * interval '1 microsecond',
    array_agg(job_id), array_agg(attempt_no)
  from ready
  having count(*) > 0
  returning id, cardinality(job_ids) as size)
select lease.id, lease.size,
  (select max(due_at) - interval '500 milliseconds' from due)::text,
  r.job_id::text, r.attempt_no, r.recipient, r.template_key, r.locale, r.event_id::text,
  r.event_type, r.failures, r.reclaims, r.unknowns,
  coalesce((extract(epoch from now() - r.first_unknown_at) * 1000000)::bigint, 0),
  coalesce(r.frozen_hash, ''),
  coalesce((extract(epoch from r.expires_at - now()) * 1000000)::bigint, 9223372036854775807),
  r.key_no, (extract(epoch from now() - r.created_at) * 1000000)::bigint,
  coalesce((select s.reason from notify.suppressions s
    where s.channel = :channel and s.recipient = r.recipient and s.suppressed_until > now()), ''),
  coalesce((extract(epoch from e.occurred_at) * 1000000)::bigint, 0),
  coalesce(e.correlation_id, ''), coalesce(e.traceparent, ''), coalesce(e.payload::text, '')
from lease cross join ready r left join notify.inbox_events e on e.event_id = r.event_id
)";

// Lock order: leases by id, as for results, releases and the reaper.
constexpr auto renew_leases_sql = R"(
with alive as materialized (
  select id from notify.leases
  where id = any (:ids::bigint[]) and owner = :owner::uuid and lease_until > now()
  order by id
  for update)
update notify.leases l set lease_until = now() + :lease_us::bigint * interval '1 microsecond'
from alive where l.id = alive.id
returning l.id
)";

// Lock order: leases by id, then jobs by id; the queue rows are new.
//
// Under the job's lock attempt_count tells whether the attempt has a row: the result or the
// reaper's `abandoned` came first, and the job is left alone. A job that became terminal meanwhile
// leaves the lease too, but does not wait again. What remains of a lease keeps its row while some
// of it has no attempt row yet.
constexpr auto release_jobs_sql = R"(
with held as materialized (
  select id, job_ids, attempt_nos from notify.leases
  where id = any (:lease_ids::bigint[]) and owner = :owner::uuid
  order by id
  for update),
entry as materialized (
  select held.id as lease_id, u.job_id, u.attempt_no, u.place
  from held, unnest(held.job_ids, held.attempt_nos) with ordinality as u(job_id, attempt_no, place)),
wanted as materialized (
  select distinct e.job_id, e.attempt_no
  from entry e
  join unnest(:job_ids::uuid[], :attempt_nos::int[], :job_lease_ids::bigint[])
    as u(job_id, attempt_no, lease_id)
    on u.job_id = e.job_id and u.attempt_no = e.attempt_no and u.lease_id = e.lease_id
  order by e.job_id),
job as (
  update notify.notification_jobs j
  set interruptions = j.interruptions + (j.status = 'open')::int,
    updated_at = case j.status when 'open' then now() else j.updated_at end
  from wanted w
  where j.id = w.job_id and j.attempt_count < w.attempt_no
  returning j.id, j.status, j.channel, w.attempt_no),
waiting as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select id, now(), attempt_no, channel from job where status = 'open'),
rest as (
  select e.lease_id, array_agg(e.job_id order by e.place) as job_ids,
    array_agg(e.attempt_no order by e.place) as attempt_nos,
    bool_or(not exists (select from notify.delivery_attempts a
      where a.job_id = e.job_id and a.attempt_no = e.attempt_no)) as is_open
  from entry e
  where e.job_id not in (select id from job)
  group by e.lease_id),
kept as (
  update notify.leases l set job_ids = rest.job_ids, attempt_nos = rest.attempt_nos
  from rest
  where l.id = rest.lease_id and rest.is_open),
ended as (
  delete from notify.leases l
  using held
  where l.id = held.id and held.id not in (select lease_id from rest where is_open))
select count(*) from job where status = 'open'
)";

// Locks the one row of the channel. The clock is read once the row is ours: whoever had to wait for
// it must not begin in the past.
constexpr auto reserve_sends_sql = R"(
insert into notify.channel_rates as r (channel, next_at)
values (:channel, clock_timestamp() + :span_us::bigint * interval '1 microsecond')
on conflict (channel) do update set
  next_at = greatest(r.next_at, clock_timestamp()) + :span_us::bigint * interval '1 microsecond'
returning greatest(0,
  (extract(epoch from r.next_at - clock_timestamp()) * 1000000)::bigint - :span_us::bigint)
)";

// Locks the one row of the channel.
constexpr auto pause_channel_sql = R"(
with fresh as (
  insert into notify.channel_pauses (channel, paused_by) values (:channel, :by)
  on conflict do nothing
  returning channel)
select count(*) from fresh
)";

// Locks the one row of the channel.
constexpr auto resume_channel_sql = R"(
with gone as (delete from notify.channel_pauses where channel = :channel returning channel)
select count(*) from gone
)";

// Lock order: the finished leases by id (the reaper takes its leases first too, so neither waits
// for the other with attempts in hand), then by key each attempt with its job, then queue rows,
// then suppressions by key. The arrays are sorted, and the leases are locked before the first
// insert: `input` cannot yield a row without their count. The totals come last.
//
// A server error after a complete request over HTTP may come from behind a send. Where a key makes
// a retry safe it is an ordinary failure, but the key's life began with it.
//
// The insert is the fence: only what it returns moves a job. A job that ended otherwise meanwhile
// stays as it is. A queue row that is there already can only be the mistake of somebody who gave
// back a job that was being sent; the next attempt takes its place, instead of refusing the batch
// for ever.
constexpr auto record_attempts_sql = R"(
with held as materialized (
  select id from notify.leases where id = any (:done_leases::bigint[]) order by id for update),
input as materialized (
  select u.*, u.result in ('unknown_outcome', 'abandoned')
      or u.result = 'retryable_provider_error' and coalesce(u.status, 0) in (500, 502, 504, 524)
        and u.phase in ('wait_reply', 'read_reply') as is_unknown
  from
    unnest(:job_ids::uuid[], :attempt_nos::int[], :results::text[], :budgets::text[],
      :delays_us::bigint[], :dead_reasons::text[], :ages_us::bigint[], :codes::text[],
      :providers::text[], :statuses::int[], :provider_codes::text[], :message_ids::text[],
      :phases::text[], :bytes_sent::bigint[], :details::text[], :wait_hints_ms::bigint[],
      :waits_clamped_ms::bigint[], :keys::text[], :hashes::text[], :suppress::bool[])
    as u(job_id, attempt_no, result, budget, delay_us, dead_reason, age_us, code, provider, status,
      provider_code, message_id, phase, bytes_sent, detail, wait_hint_ms, wait_clamped_ms, key,
      hash, suppress),
    (select count(*) from held) as after_the_locks),
attempt as (
  insert into notify.delivery_attempts (job_id, attempt_no, result, budget, next_attempt_at,
    started_at, finished_at, latency_ms, error_code, provider, provider_status, provider_code,
    provider_message_id, phase, bytes_sent, detail, wait_hint_ms, wait_clamped_ms,
    idempotency_key, content_hash)
  select job_id, attempt_no, result, budget, now() + delay_us * interval '1 microsecond',
    now() - age_us * interval '1 microsecond', now(), least(age_us / 1000, 2147483647), code,
    provider, status, provider_code, message_id, phase, bytes_sent, detail, wait_hint_ms,
    wait_clamped_ms, key, hash
  from input
  order by job_id, attempt_no
  on conflict do nothing
  returning job_id, attempt_no, started_at, next_attempt_at),
job as (
  update notify.notification_jobs j set
    status = case when a.next_attempt_at is not null then 'open'
      when i.result = 'sent' then 'sent' else 'dead' end,
    dead_reason = case when a.next_attempt_at is null and i.result <> 'sent'
      then coalesce(i.dead_reason, 'attempts_exhausted') end,
    attempt_count = a.attempt_no,
    failures = j.failures + (i.budget is not distinct from 'failure')::int,
    reclaims = j.reclaims + (i.budget is not distinct from 'reclaim')::int,
    interruptions = j.interruptions + (i.budget is not distinct from 'none')::int,
    unknowns = j.unknowns + i.is_unknown::int,
    first_unknown_at = case when i.is_unknown then coalesce(j.first_unknown_at, a.started_at)
      else j.first_unknown_at end,
    frozen_hash = case when i.is_unknown and j.unknowns = 0 then i.hash else j.frozen_hash end,
    last_error_class = case i.result when 'sent' then j.last_error_class
      when 'abandoned' then 'unknown_outcome' else i.result end,
    last_error_code = case i.result when 'sent' then j.last_error_code else i.code end,
    provider = coalesce(i.provider, j.provider),
    provider_message_id = coalesce(i.message_id, j.provider_message_id),
    finished_at = case when a.next_attempt_at is null then now() end,
    updated_at = now()
  from attempt a join input i on i.job_id = a.job_id and i.attempt_no = a.attempt_no
  where j.id = a.job_id and j.status = 'open'
  returning j.id, j.channel, j.status, j.recipient, a.attempt_no, a.next_attempt_at, i.suppress,
    coalesce(i.code, i.result) as reason),
$counted,
again as (
  insert into notify.job_queue as q (job_id, due_at, attempt_no, channel)
  select id, next_attempt_at, attempt_no + 1, channel from job where next_attempt_at is not null
  on conflict (job_id) do update set due_at = excluded.due_at, attempt_no = excluded.attempt_no),
suppressed as (
  insert into notify.suppressions (channel, recipient, reason, job_id, suppressed_until)
  select distinct on (channel, recipient) channel, recipient, reason, id,
    now() + :suppress_us::bigint * interval '1 microsecond'
  from job
  where suppress
  order by channel, recipient
  on conflict (channel, recipient) do update set reason = excluded.reason,
    job_id = excluded.job_id, suppressed_at = now(), suppressed_until = excluded.suppressed_until),
done as (
  delete from notify.leases l using held where l.id = held.id)
select job_id::text, attempt_no from attempt
)";

// Lock order: leases first (whoever holds one is skipped), then by key each attempt with its job,
// then queue rows, as for results. Whether an attempt was recorded is decided by the insert; the
// look before it only saves useless inserts.
constexpr auto reap_leases_sql = R"(
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
  returning job_id, attempt_no, started_at),
job as (
  update notify.notification_jobs j set
    status = case when j.reclaims >= :cap1::int then 'dead' else 'open' end,
    dead_reason = case when j.reclaims >= :cap2::int then 'reclaim_limit' end,
    finished_at = case when j.reclaims >= :cap3::int then now() end,
    reclaims = j.reclaims + 1, attempt_count = a.attempt_no, unknowns = j.unknowns + 1,
    first_unknown_at = coalesce(j.first_unknown_at, a.started_at),
    last_error_class = 'unknown_outcome', last_error_code = 'lease_expired', updated_at = now()
  from abandoned a
  where j.id = a.job_id and j.status = 'open'
  returning j.id, j.channel, j.status, a.attempt_no),
$counted,
again as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select id, now(), attempt_no + 1, channel from job where status = 'open'),
gone as (
  delete from notify.leases l using expired where l.id = expired.id returning l.id)
select ended.leases, coalesce(ended_jobs.channel, ''), coalesce(ended_jobs.released, 0),
  coalesce(ended_jobs.dead, 0)
from (select count(*) as leases from gone) ended
left join (select channel, count(*) filter (where status = 'open') as released,
    count(*) filter (where status = 'dead') as dead
  from job group by job.channel) ended_jobs on true
)";

// Lock order: attempt, job, queue row, in two statements. The second must see what was committed
// before the first got the job's lock: a retry recorded meanwhile has put the job into the queue.
constexpr auto mark_late_success_sql = R"(
with late as (
  update notify.delivery_attempts
  set late_result = 'sent',
    provider_message_id = coalesce(:message_id_1::text, provider_message_id)
  where job_id = :job_id::uuid and attempt_no = :attempt_no::int
    and result in ('abandoned', 'unknown_outcome')
  returning job_id),
job as (
  update notify.notification_jobs j set status = 'sent', finished_at = now(), updated_at = now(),
    provider = coalesce(:provider::text, j.provider),
    provider_message_id = coalesce(:message_id_2::text, j.provider_message_id)
  from late
  where j.id = late.job_id and j.status = 'open'
  returning j.id, j.channel),
$counted
select count(*) from job
)";

constexpr auto leave_queue_sql = "delete from notify.job_queue where job_id = :job_id::uuid";

/// What an attempt adds to the totals of its job's channel. A plain retry adds nothing.
std::vector<std::pair<std::string, std::string>> outcomes() {
  return {{"tried", "attempt_no = 1"}, {"sent", "status = 'sent'"}, {"dead", "status = 'dead'"}};
}

} // namespace

delivery_statements::delivery_statements()
    : claim_jobs(claim_jobs_sql), renew_leases(renew_leases_sql), release_jobs(release_jobs_sql),
      reserve_sends(reserve_sends_sql), pause_channel(pause_channel_sql),
      resume_channel(resume_channel_sql),
      record_attempts(with_counts(record_attempts_sql, add_to_totals("job", outcomes()))),
      reap_leases(with_counts(reap_leases_sql, add_to_totals("job", outcomes()))),
      mark_late_success(with_counts(mark_late_success_sql, add_to_totals("job", {{"sent", ""}}))),
      leave_queue(leave_queue_sql) {}

} // namespace notify
