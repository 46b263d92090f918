-- Unknown outcomes, pauses, rates, suppressed recipients.

-- Attempts that may have been accepted: `unknown_outcome`, and `abandoned` because the worker was lost.
-- None of these columns is indexed: see the rule at the table.
alter table notify.notification_jobs
  add unknowns int not null default 0,
  add first_unknown_at timestamptz, -- when the first of them was begun
  add frozen_hash text collate "C", -- content hash of that first one; null if not known
  add redrives int not null default 0, -- retries by an operator
  add key_no int not null default 0; -- fresh idempotency keys asked for; 0: the id itself is the key

alter table notify.delivery_attempts
  add wait_clamped_ms bigint; -- what of wait_hint_ms was honoured

-- Jobs that may be sent again must know of such attempts made before this version. Those that wait
-- or are in flight are few, and the dead have an index of their own: no table is scanned.
with candidate as (
  select job_id from notify.job_queue where attempt_no > 1
  union
  select u.job_id from notify.leases l, unnest(l.job_ids) as u(job_id)
  union
  select id from notify.notification_jobs where dead_reason is not null),
unknown as (
  select a.job_id, count(*) as attempts, min(a.started_at) as first_at,
    (array_agg(a.content_hash order by a.attempt_no))[1] as first_hash
  from candidate c join notify.delivery_attempts a on a.job_id = c.job_id
  where a.result in ('unknown_outcome', 'abandoned')
  group by a.job_id)
update notify.notification_jobs j
set unknowns = u.attempts, first_unknown_at = u.first_at, frozen_hash = u.first_hash
from unknown u
where j.id = u.job_id;

-- A row exists while a channel is paused. Claims find nothing in it, in any process.
create table notify.channel_pauses (
  channel text collate "C" primary key,
  paused_at timestamptz not null default now(),
  paused_by text collate "C" not null -- for people
);

-- Who may send when, among all processes. One row per channel, updated several times a second, so
-- its page keeps room for many versions; next_at is in no index. To delete a row does no harm.
create table notify.channel_rates (
  channel text collate "C" primary key,
  next_at timestamptz not null -- the first moment that nobody has reserved
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
        autovacuum_vacuum_cost_delay = 1);

-- Recipients that refused for good. Nothing is sent to them until the time is over.
create table notify.suppressions (
  channel text collate "C" not null,
  recipient text collate "C" not null,
  reason text collate "C" not null, -- the refused attempt's error code
  job_id uuid not null, -- of that attempt
  suppressed_at timestamptz not null default now(),
  suppressed_until timestamptz not null,
  primary key (channel, recipient)
);

-- A job that was only held back has attempts, but no failures: it waits for a further attempt all
-- the same. New columns come last: a view is replaced in place only so.
create or replace view notify.notifications as
select j.id, j.event_id, j.event_type, j.channel, j.recipient, j.template_key, j.locale,
  case
    when j.status <> 'open' then j.status
    when q.job_id is null then 'processing'
    when j.attempt_count > 0 then 'retry_wait'
    else 'pending'
  end as status,
  j.attempt_count, j.failures, j.reclaims, j.interruptions, j.dead_reason, j.last_error_class,
  j.last_error_code, j.provider, j.provider_message_id, j.created_at, j.updated_at, j.finished_at,
  j.expires_at, q.due_at, q.attempt_no as next_attempt_no, e.correlation_id, e.aggregate_id,
  e.occurred_at, j.unknowns, j.first_unknown_at, j.redrives, j.key_no
from notify.notification_jobs j
left join notify.job_queue q on q.job_id = j.id
left join notify.inbox_events e on e.event_id = j.event_id;
