-- Events, jobs, queue, leases, attempts, dead letters, ledger. The statements that work on them, with
-- their lock order, stand in persistence/pg_*_store.cpp; the state machine in docs/state-machine.md.
--
-- No foreign keys between hot tables: one transaction writes the event with its jobs, the janitor
-- deletes in the right order, and a key check per row would cost a lock on the referenced row.

-- Every event that was accepted, once. Not partitioned: uniqueness must be global.
create table notify.inbox_events (
  event_id uuid primary key,
  type text collate "C" not null,
  producer text collate "C" not null,
  aggregate_id text collate "C" not null,
  correlation_id text collate "C" not null, -- empty if the producer sent none
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  topic text collate "C" not null,
  partition int not null,
  "offset" bigint not null,
  traceparent text collate "C" not null, -- empty if there was none
  payload json not null, -- json, not jsonb: the producer's bytes, as payload_sha256 covers them
  payload_sha256 bytea not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

-- One row per notification, for ever. A job is `open` until it is terminal; whether an open one
-- waits or is in flight is told by job_queue (see the view below).
--
-- Sending a job must not touch an index: no index covers a column that it changes, and the one
-- partial index asks for dead_reason instead of status. All jobs of a page are sent at about the same
-- time, so the fillfactor keeps room for a second version of each (measured against 60: nine of ten
-- updates stay off the indexes instead of five, an eighth less WAL per job).
create table notify.notification_jobs (
  id uuid primary key, -- derived from event, channel, recipient and template; see docs/job-ids.md
  event_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  expires_at timestamptz,
  attempt_count int not null default 0, -- number of the last attempt recorded while the job was open
  failures int not null default 0, -- attempts that used up the retry budget
  reclaims int not null default 0, -- attempts whose worker was lost
  interruptions int not null default 0, -- attempts or claims given back without cost
  event_type text collate "C" not null,
  channel text collate "C" not null,
  recipient text collate "C" not null,
  template_key text collate "C" not null,
  locale text collate "C" not null,
  status text collate "C" not null default 'open'
    check (status in ('open', 'sent', 'dead', 'cancelled')),
  dead_reason text collate "C",
  last_error_class text collate "C",
  last_error_code text collate "C",
  provider text collate "C",
  provider_message_id text collate "C",
  check ((status = 'dead') = (dead_reason is not null)),
  check ((status = 'open') = (finished_at is null))
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05,
        autovacuum_analyze_scale_factor = 0.02);
create index notification_jobs_newest on notify.notification_jobs (created_at desc, id desc);
create index notification_jobs_event on notify.notification_jobs (event_id);
create index notification_jobs_dead on notify.notification_jobs (created_at desc, id desc)
  where dead_reason is not null;

-- A row exists only while its job waits. Deleted by the claim, inserted again by a retry, never
-- updated: it carries no lease.
create table notify.job_queue (
  job_id uuid primary key,
  due_at timestamptz not null,
  attempt_no int not null, -- of the attempt that the next claim starts
  channel text collate "C" not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
        autovacuum_vacuum_cost_delay = 1, autovacuum_analyze_scale_factor = 0.2);
create index job_queue_due on notify.job_queue (channel, due_at);

-- One row per claim, while something of it is in flight. Entries with an attempt row are finished.
-- lease_until is in no index, so that a heartbeat stays on its page.
create table notify.leases (
  id bigint generated always as identity primary key,
  owner uuid not null, -- the process incarnation that claimed
  channel text collate "C" not null,
  claimed_at timestamptz not null default now(),
  lease_until timestamptz not null,
  job_ids uuid[] not null,
  attempt_nos int[] not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
        autovacuum_vacuum_cost_delay = 1,
        toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 500);
-- Ids do not compress: trying to would cost more than the rest of the row.
alter table notify.leases alter job_ids set storage external;

-- History, and the fence: whoever inserts (job, attempt) first, wins. One request on the wire is
-- one row. Times are the database's.
create table notify.delivery_attempts (
  job_id uuid not null,
  attempt_no int not null,
  provider_status int, -- HTTP status or SMTP reply code, if one came
  started_at timestamptz not null,
  finished_at timestamptz not null,
  next_attempt_at timestamptz, -- when the job was due again; null if this attempt was its last
  bytes_sent bigint,
  wait_hint_ms bigint, -- the provider's own wait, unclamped
  latency_ms int,
  result text collate "C" not null, -- sent, abandoned, or the error class
  budget text collate "C", -- what it used up: failure, reclaim or none; null if it was sent
  error_code text collate "C",
  provider text collate "C",
  provider_code text collate "C",
  provider_message_id text collate "C",
  phase text collate "C",
  detail text collate "C", -- safe text of the provider: cut, without secrets
  idempotency_key text collate "C", -- null if it was the job's id
  content_hash text collate "C",
  late_result text collate "C", -- sent, if the success came after the attempt was abandoned
  primary key (job_id, attempt_no)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

-- Records that can never be processed, as bytes. The timestamp belongs to the key because a topic
-- that was deleted and made again starts over at offset 0.
create table notify.dead_letters (
  id bigint generated always as identity primary key,
  topic text collate "C" not null,
  partition int not null,
  "offset" bigint not null,
  timestamp_ms bigint not null, -- the record's; -1 if unknown
  key bytea,
  value bytea, -- null: a tombstone
  header_names bytea[] not null, -- in the record's order; names need not be valid UTF-8
  header_values bytea[] not null,
  reason text collate "C" not null, -- stable code
  detail text collate "C" not null, -- safe to show
  event_id uuid,
  attempts int not null default 1,
  first_failed_at timestamptz not null default now(),
  last_failed_at timestamptz not null default now(),
  published_at timestamptz, -- set by the relay
  unique (topic, partition, "offset", timestamp_ms)
);

-- How far each partition got, for audits and alarms; never for seeking.
create table notify.partition_ledger (
  topic text collate "C" not null,
  partition int not null,
  first_offset bigint not null, -- of the last batch
  next_offset bigint not null, -- one past the last record of the last batch
  batch_records bigint not null,
  total_records bigint not null,
  rewinds bigint not null default 0, -- batches that began before the end of the one before
  gaps bigint not null default 0, -- batches that began after it: markers, retention, or a loss
  instance text not null, -- the session's application name
  moved_at timestamptz not null default now(),
  primary key (topic, partition)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The six statuses of a notification. What nobody asks for is not joined: both tables are reached
-- by their primary key.
create view notify.notifications as
select j.id, j.event_id, j.event_type, j.channel, j.recipient, j.template_key, j.locale,
  case
    when j.status <> 'open' then j.status
    when q.job_id is null then 'processing'
    when j.failures > 0 or j.reclaims > 0 then 'retry_wait'
    else 'pending'
  end as status,
  j.attempt_count, j.failures, j.reclaims, j.interruptions, j.dead_reason, j.last_error_class,
  j.last_error_code, j.provider, j.provider_message_id, j.created_at, j.updated_at, j.finished_at,
  j.expires_at, q.due_at, q.attempt_no as next_attempt_no, e.correlation_id, e.aggregate_id,
  e.occurred_at
from notify.notification_jobs j
left join notify.job_queue q on q.job_id = j.id
left join notify.inbox_events e on e.event_id = j.event_id;
