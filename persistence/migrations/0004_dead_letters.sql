-- Dead letters on their way to a topic, and back into the inbox. Dead letters are few, so that the
-- index is built at once.
alter table notify.dead_letters
  add publish_note text collate "C", -- why a stub was published instead of the record; null: it was not
  add replays int not null default 0, -- how often one was tried
  add replayed_at timestamptz, -- when one got it into the inbox; null: it is still dead
  add replay_result text collate "C" -- of the last one: stored, duplicate or refused
    check (replay_result in ('stored', 'duplicate', 'refused'));
create index dead_letters_unpublished on notify.dead_letters (id) where published_at is null;

-- Who may publish, among all processes: one row per relay, which is gone while there is nothing to
-- publish. Its holder renews it with each batch, so that no transaction is open while Kafka is asked.
create table notify.relay_leases (
  relay text collate "C" primary key,
  owner uuid not null, -- the process; a restarted relay of the same one goes on at once
  lease_until timestamptz not null
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
