-- Records that a writer is working on, or died over. A row is written before the work, in a
-- transaction of its own, and deleted in the transaction that stores the records: see
-- docs/adr/0013-records-that-kill-the-process.md. Empty while all is well.
create table notify.ingest_suspects (
  topic text collate "C" not null,
  partition int not null,
  first_offset bigint not null,
  next_offset bigint not null, -- one past the last record
  attempts int not null, -- the work that it belongs to included
  instance text not null default current_setting('application_name'),
  marked_at timestamptz not null default now(),
  primary key (topic, partition)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- A writer that is new to a partition asks which of its records must not be touched again.
create index dead_letters_crashed on notify.dead_letters (topic, partition)
  where reason = 'crashed_repeatedly';
