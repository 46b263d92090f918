-- Who left a mark: the key of an advisory lock that a writer's session holds as long as it lives. Null:
-- left by a version that took none. See docs/adr/0013-records-that-kill-the-process.md.
alter table notify.ingest_suspects add column holder bigint;
