-- no-transaction
-- What people ask for: acts on many notifications, and the indexes of their questions. Every
-- statement bears being run again.
--
-- No index covers a column that sending a job changes, see 0001. Questions about those walk along
-- another order instead, a bounded number of rows for each answer; see
-- persistence/notification_query.cpp.

-- Acts on many notifications. The row of one that runs is locked by whoever works on it, for one
-- batch; it then tells how far that came.
create table if not exists notify.operations (
  id bigint generated always as identity primary key,
  kind text collate "C" not null check (kind in ('retry', 'cancel')),
  filter jsonb not null, -- by the names of the API
  fresh_key boolean not null default false,
  status text collate "C" not null default 'running'
    check (status in ('running', 'done', 'cancelled', 'failed')),
  created_by text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  reached_at timestamptz, -- with reached_id: the last notification that was looked at
  reached_id uuid,
  matched bigint not null default 0,
  done bigint not null default 0,
  skipped jsonb not null default '{}', -- how many by reason
  skips_kept int not null default 0, -- rows of operation_skips
  error text collate "C",
  check ((status = 'running') = (finished_at is null))
);

create index if not exists operations_running on notify.operations (id) where status = 'running';

-- What an operation passed over, the first of them.
create table if not exists notify.operation_skips (
  operation_id bigint not null,
  job_id uuid not null,
  reason text collate "C" not null, -- the status it was in, or gone
  primary key (operation_id, job_id)
);

-- As dead_reason does for the dead, this column finds the few that were cancelled without an index
-- that asks for the status. Nobody could cancel before this version.
alter table notify.notification_jobs add column if not exists cancelled_at timestamptz;

drop index concurrently if exists notify.notification_jobs_cancelled;
create index concurrently notification_jobs_cancelled on notify.notification_jobs
  (created_at desc, id desc) where cancelled_at is not null;

-- Read backwards. In one direction, so that a page's place is one comparison of rows, which no
-- other index can answer: the planner has no choice.
drop index concurrently if exists notify.notification_jobs_recipient;
create index concurrently notification_jobs_recipient on notify.notification_jobs
  (recipient, created_at, id);

drop index concurrently if exists notify.inbox_events_correlation;
create index concurrently inbox_events_correlation on notify.inbox_events (correlation_id)
  where correlation_id <> '';
