-- What people did to the service by hand, to be read by people. Rows are never changed.
create table notify.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text collate "C" not null, -- who, as they or their account named themselves
  action text collate "C" not null, -- stable code, e.g. offsets.reset
  target text collate "C" not null, -- what it was done to, e.g. a group or a job
  details jsonb not null default '{}' -- what was there before, and what after
);
