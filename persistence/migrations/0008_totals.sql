-- Running totals, so that counts by status are exact and nobody has to scan for them. Each
-- transaction that creates, ends or deletes jobs adds what it did, in one row per channel; the
-- statements stand beside what they count, their common text in persistence/job_totals.cpp.
--
-- Sixteen rows for each channel, by the session's process id: two sessions seldom wait for each
-- other. A row is updated many times a second, so its page keeps room for many versions, and no
-- index covers what changes.

-- Processes of the version before do not count. Stop them before this file is run, or the books
-- differ by what they did meanwhile.
lock table notify.notification_jobs, notify.partition_ledger in share row exclusive mode;

create table notify.job_totals (
  shard int not null, -- of the session that counted
  channel text collate "C" not null,
  created bigint not null default 0,
  tried bigint not null default 0, -- jobs whose first attempt has its row
  sent bigint not null default 0,
  dead bigint not null default 0,
  cancelled bigint not null default 0,
  cancelled_untried bigint not null default 0, -- of those: before their first attempt
  redriven bigint not null default 0, -- dead ones that an operator opened again
  removed_sent bigint not null default 0, -- deleted after their retention
  removed_dead bigint not null default 0,
  removed_cancelled bigint not null default 0,
  primary key (shard, channel)
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 1);

-- What is there today. Jobs that were deleted before count nowhere.
insert into notify.job_totals (shard, channel, created, tried, sent, dead, cancelled,
  cancelled_untried)
select 0, channel, count(*),
  count(*) filter (where attempt_count > 0),
  count(*) filter (where status = 'sent'),
  count(*) filter (where status = 'dead'),
  count(*) filter (where status = 'cancelled'),
  count(*) filter (where status = 'cancelled' and attempt_count = 0)
from notify.notification_jobs
group by channel
order by channel;

-- What became of each record that Kafka delivered.
create table notify.inbox_totals (
  shard int primary key, -- as above
  earlier bigint not null default 0, -- records before the counting began
  stored bigint not null default 0,
  duplicates bigint not null default 0,
  dead_lettered bigint not null default 0
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 1);

insert into notify.inbox_totals (shard, earlier)
select 0, coalesce(sum(total_records), 0) from notify.partition_ledger;
