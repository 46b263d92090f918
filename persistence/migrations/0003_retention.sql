-- no-transaction
-- What the janitor needs to find old rows. Its statements stand in
-- persistence/retention_statements.cpp.
--
-- Tables may be large by now, so indexes are built concurrently. One that was broken off leaves an
-- invalid index behind; the drop before each removes it when the file is run again.
--
-- notification_jobs gets none. An index on finished_at would be written once per job, but with it
-- every index of the table: the job's last update would no longer stay off the others, which is
-- worth an eighth of the WAL per job (see 0001). BRIN would do the same in PostgreSQL 15. It would
-- also be useless soon: deleted rows leave their pages to new ones, and a page that holds both
-- answers to every time. Jobs end soon after they are created, so the janitor goes along
-- notification_jobs_newest from its old end, and passes by the few that are old and not yet over.

-- Two columns, so that a sweep has a place even within one transaction's events. received_at only
-- grows, and a batch is stored in the order of its ids: inserts go to the right edge.
drop index concurrently if exists notify.inbox_events_received;
create index concurrently inbox_events_received on notify.inbox_events (received_at, event_id);

-- Dead letters and refusals are rare; so are updates of what these two cover.
drop index concurrently if exists notify.dead_letters_published;
create index concurrently dead_letters_published on notify.dead_letters (published_at)
  where published_at is not null;

drop index concurrently if exists notify.suppressions_until;
create index concurrently suppressions_until on notify.suppressions (suppressed_until);

-- Until now nothing was deleted here. A fifth of a table of years would wait for a vacuum.
alter table notify.inbox_events set (autovacuum_vacuum_scale_factor = 0.05);
alter table notify.delivery_attempts set (autovacuum_vacuum_scale_factor = 0.05);
