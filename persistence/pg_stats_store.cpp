#include "persistence/pg_stats_store.hpp"

#include <chrono>
#include <string>

namespace notify {

namespace {

// Entries of leases whose attempt has no row yet and whose job is open. Few: they are in flight.
// Rows are looked up one by one, since a join could be planned over a whole table.
const std::string in_flight = R"(
  select l.channel, u.attempt_no
  from notify.leases l, unnest(l.job_ids, l.attempt_nos) as u(job_id, attempt_no)
  where (select a.job_id from notify.delivery_attempts a
      where a.job_id = u.job_id and a.attempt_no = u.attempt_no) is null
    and (select j.status from notify.notification_jobs j where j.id = u.job_id) = 'open')";

// One statement, so that all of it is one moment. The oldest due job is the first of its index.
const std::string count_query = R"(
with total as materialized (
  select channel, sum(created)::bigint as created, sum(tried)::bigint as tried,
    sum(sent)::bigint as sent, sum(dead)::bigint as dead, sum(cancelled)::bigint as cancelled,
    sum(cancelled_untried)::bigint as cancelled_untried, sum(redriven)::bigint as redriven,
    sum(removed_sent)::bigint as removed_sent, sum(removed_dead)::bigint as removed_dead,
    sum(removed_cancelled)::bigint as removed_cancelled
  from notify.job_totals
  group by channel),
entry as materialized ()" + in_flight
                                + R"(),
leased as (
  select channel, count(*) as jobs, count(*) filter (where attempt_no = 1) as untried
  from entry
  group by channel)
select t.channel, t.created, t.tried, t.sent, t.dead, t.cancelled, t.cancelled_untried, t.redriven,
  t.removed_sent, t.removed_dead, t.removed_cancelled, coalesce(l.jobs, 0),
  coalesce(l.untried, 0),
  coalesce((select extract(epoch from now() - q.due_at)::float8 from notify.job_queue q
    where q.channel = t.channel and q.due_at <= now() order by q.due_at limit 1), 0)
from total t left join leased l on l.channel = t.channel
order by t.channel
)";

// Whoever holds the oldest snapshot keeps dead rows in all tables.
constexpr auto health_query = R"(
select (extract(epoch from clock_timestamp()) * 1000000)::bigint,
  (current_setting('transaction_read_only') = 'on' or pg_is_in_recovery())::int,
  pg_notification_queue_usage()::float8, coalesce(s.age, 0), coalesce(s.name, ''),
  (select count(*) from (select from notify.dead_letters
    where published_at is null order by id limit 10000) u),
  coalesce((select extract(epoch from now() - first_failed_at)::float8 from notify.dead_letters
    where published_at is null order by id limit 1), 0)
from (select 1) one left join lateral (
  select extract(epoch from clock_timestamp() - a.xact_start)::float8 as age,
    left(a.application_name, 60) as name
  from pg_stat_activity a
  where a.datname = current_database() and a.backend_xmin is not null
    and a.pid <> pg_backend_pid() and a.xact_start is not null
  order by a.xact_start
  limit 1) s on true
)";

constexpr auto tables_query = R"(
select relname::text, n_dead_tup::float8, pg_total_relation_size(relid)::float8,
  coalesce(extract(epoch from now() - greatest(last_autovacuum, last_vacuum)), -1)::float8
from pg_stat_user_tables
where schemaname = 'notify' and relname in ('inbox_events', 'notification_jobs', 'job_queue',
  'leases', 'delivery_attempts', 'job_totals')
)";

// Up to so many waiting jobs are counted one by one.
constexpr auto most_waiting = 50'000;

const std::string books_query = R"(
with waiting as materialized (
  select channel from notify.job_queue limit )"
                                + std::to_string(most_waiting) + R"(),
entry as materialized ()" + in_flight
                                + R"(),
found as (
  select channel, count(*) as jobs
  from (select channel from waiting union all select channel from entry) place
  group by channel),
told as (
  select channel, sum(created + redriven - sent - dead - cancelled) as jobs
  from notify.job_totals
  group by channel)
select (select count(*) from waiting),
  (select coalesce(sum(abs(coalesce(told.jobs, 0) - coalesce(found.jobs, 0))), 0)::float8
    from told full join found on told.channel = found.channel),
  ((select coalesce(sum(total_records), 0) from notify.partition_ledger)
    - (select coalesce(sum(earlier + stored + duplicates + dead_lettered), 0)
      from notify.inbox_totals))::float8
)";

int64_t now_us() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

postgres_config with_timeout(postgres_config config, caf::timespan timeout) {
  config.statement_timeout = timeout;
  config.lock_timeout = timeout;
  return config;
}

channel_counts to_counts(const soci::row& row) {
  channel_counts x;
  size_t i = 0;
  for (auto* number :
       {&x.created, &x.tried, &x.sent, &x.dead, &x.cancelled, &x.cancelled_untried, &x.redriven,
        &x.removed_sent, &x.removed_dead, &x.removed_cancelled, &x.leased, &x.leased_untried})
    *number = row.get<long long>(++i);
  x.oldest_due_s = row.get<double>(++i);
  return x;
}

void add_tables(soci::session& sql, figure_map& to) {
  soci::rowset<soci::row> rows = (sql.prepare << tables_query);
  for (const auto& row : rows) {
    auto table = row.get<std::string>(0);
    to["dead_tuples." + table] = row.get<double>(1);
    to["table_bytes." + table] = row.get<double>(2);
    // Never vacuumed is not known to be long ago.
    if (auto age = row.get<double>(3); age >= 0)
      to["vacuum_age_s." + table] = age;
  }
}

} // namespace

std::map<std::string, int64_t> count_by_status(const channel_counts& x) {
  auto open = x.created + x.redriven - x.sent - x.dead - x.cancelled;
  auto untried = x.created - x.tried - x.cancelled_untried;
  return {
      {"pending", untried - x.leased_untried},
      {"processing", x.leased},
      {"retry_wait", open - untried - (x.leased - x.leased_untried)},
      {"sent", x.sent - x.removed_sent},
      {"dead", x.dead - x.redriven - x.removed_dead},
      {"cancelled", x.cancelled - x.removed_cancelled},
  };
}

pg_stats_store::pg_stats_store(postgres_config config, caf::timespan timeout)
    : session_(with_timeout(std::move(config), timeout), "stats") {}

caf::expected<std::map<std::string, channel_counts>> pg_stats_store::count() {
  return session_.run([&] {
    std::map<std::string, channel_counts> result;
    soci::rowset<soci::row> rows = (session_.sql().prepare << count_query);
    for (const auto& row : rows)
      result[row.get<std::string>(0)] = to_counts(row);
    return result;
  });
}

caf::expected<queue_health> pg_stats_store::health() {
  return session_.run([&] {
    queue_health result;
    auto& figures = result.figures;
    long long database_us = 0, unpublished = 0;
    int read_only = 0;
    double usage = 0, snapshot_age = 0, unpublished_age = 0;
    std::string holder;
    auto asked = now_us();
    session_.sql() << health_query, soci::into(database_us), soci::into(read_only),
        soci::into(usage), soci::into(snapshot_age), soci::into(holder), soci::into(unpublished),
        soci::into(unpublished_age);
    auto answered = now_us();
    result.read_only = read_only != 0;
    // The database's clock was read somewhere in between.
    figures["clock_skew_s"] = static_cast<double>(database_us - (asked + answered) / 2) / 1e6;
    figures["notify_queue_usage"] = usage;
    figures["oldest_snapshot_s"] = snapshot_age;
    if (!holder.empty())
      figures["oldest_snapshot_s.by." + holder] = snapshot_age;
    figures["dead_letters_unpublished"] = static_cast<double>(unpublished);
    figures["dead_letters_oldest_unpublished_s"] = unpublished_age;
    add_tables(session_.sql(), figures);
    return result;
  });
}

caf::expected<figure_map> pg_stats_store::books() {
  return session_.run([&] {
    long long waiting = 0;
    double jobs = 0, events = 0;
    session_.sql() << books_query, soci::into(waiting), soci::into(jobs), soci::into(events);
    figure_map result{{"books_difference.events", events}};
    if (waiting < most_waiting)
      result["books_difference.jobs"] = jobs;
    return result;
  });
}

} // namespace notify
