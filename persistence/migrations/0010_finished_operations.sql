-- For the janitor, which deletes acts that ended long ago (retention.operations).
create index operations_finished on notify.operations (finished_at) where finished_at is not null;
