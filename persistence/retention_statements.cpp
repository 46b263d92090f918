#include "persistence/retention_statements.hpp"

#include "persistence/job_totals.hpp"

#include <string_view>

namespace notify {

namespace {

constexpr std::string_view past = " < now() - :keep_us::bigint * interval '1 microsecond'";

/// Puts `value` in the place of each `$name`.
std::string with(std::string text, std::string_view name, std::string_view value) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
  return text;
}

// A job is never older than its creation, so the sweep goes along the index of creation times; no
// index knows when jobs end (docs/adr/0014). It passes by what is old but may not go.
//
// Lock order: jobs by id, then their attempts, then events, then the totals. Whoever holds a job,
// an operator who retries it, is not waited for. A job that waits or is named by any lease stays,
// even if it is terminal: without it the lease's end would write an attempt of nothing.
//
// Rows are reached by arrays of keys and by scalar subqueries, not by joins, which could be planned
// over a whole table when statistics are old. For the same reason a key never stands beside a
// condition that another index has: times and partial predicates are asked for elsewhere. An event
// goes with its last job, since the sweep over events does not come back to it.
constexpr auto clean_jobs = R"(
with seen as materialized (
  select j.id, j.created_at from notify.notification_jobs j
  where j.created_at $past and (j.created_at, j.id) > (:at::timestamptz, :id::uuid) $part
  order by j.created_at, j.id
  limit :limit::int),
in_flight as materialized (
  select u.job_id from notify.leases l, unnest(l.job_ids) as u(job_id)),
victim as materialized (
  select j.id, j.event_id from notify.notification_jobs j
  where j.id = any (array(select id from seen)) and $which and j.finished_at $past
    and j.id not in (select job_id from in_flight)
    and (select q.job_id from notify.job_queue q where q.job_id = j.id) is null
  order by j.id
  for update of j skip locked),
gone as (
  delete from notify.notification_jobs j where j.id = any (array(select id from victim))
  returning j.channel, j.status),
$counted,
attempt as (
  delete from notify.delivery_attempts a where a.job_id = any (array(select id from victim))),
event as materialized (
  select e.event_id, e.received_at from notify.inbox_events e
  where e.event_id = any (array(select event_id from victim))),
left_alone as materialized (
  select event_id from event
  where :inbox_us::bigint > 0
    and received_at < now() - :inbox_us::bigint * interval '1 microsecond'
    and (select count(*) from notify.notification_jobs other
      where other.event_id = event.event_id and other.id not in (select id from victim)) = 0),
forgotten as (
  delete from notify.inbox_events e
  where e.event_id = any (array(select event_id from left_alone))
  returning 1)
select (select count(*) from seen), (select count(*) from gone), (select count(*) from forgotten),
  coalesce((select created_at::text from seen
    order by seen.created_at desc, seen.id desc limit 1), ''),
  coalesce((select id::text from seen
    order by seen.created_at desc, seen.id desc limit 1), '')
)";

constexpr auto count_jobs = R"(
select count(*) filter (where may_go) from (
  select $which and j.finished_at $past as may_go
  from notify.notification_jobs j
  where j.created_at $past and (j.created_at, j.id) > (:at::timestamptz, :id::uuid) $part
  order by j.created_at, j.id
  limit :limit::int) seen
)";

std::vector<std::pair<std::string, std::string>> removals() {
  return {{"removed_sent", "status = 'sent'"},
          {"removed_dead", "status = 'dead'"},
          {"removed_cancelled", "status = 'cancelled'"}};
}

std::string for_jobs(std::string text, bool dead) {
  // All rows of the sweep over dead jobs are dead, and it has an index of its own. The other one
  // passes by them.
  text = with(std::move(text), "$part", dead ? "and j.dead_reason is not null" : "");
  text = with(std::move(text), "$which",
              dead ? "j.status = 'dead'" : "j.status in ('sent', 'cancelled')");
  return with(std::move(text), "$past", past);
}

// Locks only what it deletes. A copy that arrives in this moment waits, and is new afterwards; the
// dedup window is what keeps copies from coming so late.
constexpr auto clean_events = R"(
with seen as materialized (
  select e.event_id, e.received_at from notify.inbox_events e
  where e.received_at $past and (e.received_at, e.event_id) > (:at::timestamptz, :id::uuid)
  order by e.received_at, e.event_id
  limit :limit::int),
gone as (
  delete from notify.inbox_events e
  where e.event_id = any (array(select event_id from seen))
    and (select j.id from notify.notification_jobs j where j.event_id = e.event_id limit 1) is null
  returning 1)
select (select count(*) from seen), (select count(*) from gone), 0,
  coalesce((select received_at::text from seen
    order by seen.received_at desc, seen.event_id desc limit 1), ''),
  coalesce((select event_id::text from seen
    order by seen.received_at desc, seen.event_id desc limit 1), '')
)";

constexpr auto count_events = R"(
select count(*) filter (where may_go) from (
  select (select j.id from notify.notification_jobs j where j.event_id = e.event_id limit 1)
    is null as may_go
  from notify.inbox_events e
  where e.received_at $past and (e.received_at, e.event_id) > (:at::timestamptz, :id::uuid)
  order by e.received_at, e.event_id
  limit :limit::int) seen
)";

// What is old enough here may all go, so each batch begins at the oldest row. `$also` is for rows
// that go with these.
constexpr auto clean_finished = R"(
with seen as materialized (
  select x.id from notify.$table x
  where x.$end $past
  order by x.$end
  limit :limit::int
  for update skip locked),
$also
gone as (
  delete from notify.$table x where x.id = any (array(select id from seen)) returning 1)
select (select count(*) from seen), (select count(*) from gone), 0, '', ''
)";

constexpr auto count_finished = R"(
select count(*) from (
  select from notify.$table x
  where x.$end $past
  order by x.$end
  limit :limit::int) seen
)";

constexpr auto skips_too = R"(skip as (
  delete from notify.operation_skips s where s.operation_id = any (array(select id from seen))),)";

std::string for_finished(std::string text, retained kind) {
  auto letters = kind == retained::dead_letters;
  text = with(std::move(text), "$table", letters ? "dead_letters" : "operations");
  text = with(std::move(text), "$end", letters ? "published_at" : "finished_at");
  text = with(std::move(text), "$also", letters ? "" : skips_too);
  return with(std::move(text), "$past", past);
}

// By their place, since they are locked; asked again, in case a refusal renewed one meanwhile.
constexpr auto clean_suppressions = R"(
with seen as materialized (
  select s.ctid as place from notify.suppressions s
  where s.suppressed_until < now()
  order by s.suppressed_until
  limit :limit::int
  for update skip locked),
gone as (
  delete from notify.suppressions s
  where s.ctid = any (array(select place from seen)) and s.suppressed_until < now()
  returning 1)
select (select count(*) from seen), (select count(*) from gone), 0, '', ''
)";

constexpr auto count_suppressions = R"(
select count(*) from (
  select from notify.suppressions s
  where s.suppressed_until < now()
  order by s.suppressed_until
  limit :limit::int) seen
)";

} // namespace

std::string clean_statement(retained kind) {
  switch (kind) {
  case retained::jobs:
  case retained::dead_jobs:
    return for_jobs(with_counts(clean_jobs, add_to_totals("gone", removals())),
                    kind == retained::dead_jobs);
  case retained::events:
    return with(clean_events, "$past", past);
  case retained::dead_letters:
  case retained::operations:
    return for_finished(clean_finished, kind);
  case retained::suppressions:
    break;
  }
  return clean_suppressions;
}

std::string backlog_statement(retained kind) {
  switch (kind) {
  case retained::jobs:
  case retained::dead_jobs:
    return for_jobs(count_jobs, kind == retained::dead_jobs);
  case retained::events:
    return with(count_events, "$past", past);
  case retained::dead_letters:
  case retained::operations:
    return for_finished(count_finished, kind);
  case retained::suppressions:
    break;
  }
  return count_suppressions;
}

} // namespace notify
