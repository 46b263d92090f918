#include "persistence/database_facts.hpp"

#include "persistence/session.hpp"

#include <chrono>

namespace notify {

namespace {

constexpr auto settings_query = R"(
select current_setting('server_version_num')::int, current_setting('server_version'), current_user,
  pg_is_in_recovery()::int, (current_setting('transaction_read_only') = 'on')::int,
  (current_setting('autovacuum') = 'on' and current_setting('track_counts') = 'on')::int,
  (current_setting('fsync') = 'on')::int,
  current_setting('max_connections')::bigint - (select count(*) from pg_stat_activity
                                                where backend_type = 'client backend')
)";

constexpr auto clock_query = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint";

constexpr auto broken_indexes_query = R"(
select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'notify' and not (i.indisvalid and i.indisready) order by 1
)";

// The history of migrations is written by `notifyd migrate`, which may run as another user.
constexpr auto missing_rights_query = R"(
select wanted || ' on ' || n.nspname || '.' || c.relname
from pg_class c join pg_namespace n on n.oid = c.relnamespace
cross join unnest(array['select', 'insert', 'update', 'delete']) wanted
where n.nspname = 'notify' and c.relkind in ('r', 'p', 'v')
  and (wanted = 'select' or (c.relkind <> 'v' and c.relname <> 'schema_migrations'))
  and not has_table_privilege(c.oid, wanted)
union all
select 'usage on sequence ' || n.nspname || '.' || c.relname
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'notify'
  -- A condition of its own might be asked about what is no sequence, which is an error.
  and case c.relkind when 'S' then not has_sequence_privilege(c.oid, 'usage') else false end
union all
select 'usage on schema ' || nspname from pg_namespace
where nspname = 'notify' and not has_schema_privilege(oid, 'usage')
order by 1
)";

constexpr auto unvacuumed_query = R"(
select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'notify' and c.relkind = 'r'
  and exists (select from unnest(c.reloptions) x
              where x in ('autovacuum_enabled=false', 'autovacuum_enabled=off',
                          'autovacuum_enabled=0', 'autovacuum_enabled=no'))
order by 1
)";

std::vector<std::string> read_names(soci::session& sql, const char* query) {
  soci::rowset<std::string> rows = (sql.prepare << query);
  return {rows.begin(), rows.end()};
}

int64_t now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

void read_clock(soci::session& sql, database_facts& out) {
  long long theirs = 0;
  auto before = now_us();
  sql << clock_query, soci::into(theirs);
  auto after = now_us();
  out.clock_doubt_us = (after - before) / 2;
  out.clock_ahead_us = theirs - (before + out.clock_doubt_us);
}

database_facts read_all(soci::session& sql) {
  database_facts result;
  int standby = 0, read_only = 0, autovacuum = 0, fsync = 0;
  long long free_connections = 0;
  sql << settings_query, soci::into(result.version), soci::into(result.version_text),
      soci::into(result.user), soci::into(standby), soci::into(read_only), soci::into(autovacuum),
      soci::into(fsync), soci::into(free_connections);
  result.is_standby = standby != 0;
  result.is_read_only = read_only != 0;
  result.autovacuum = autovacuum != 0;
  result.fsync = fsync != 0;
  result.free_connections = free_connections;
  read_clock(sql, result);
  result.broken_indexes = read_names(sql, broken_indexes_query);
  result.missing_rights = read_names(sql, missing_rights_query);
  result.unvacuumed_tables = read_names(sql, unvacuumed_query);
  return result;
}

} // namespace

caf::expected<database_facts> read_database_facts(const postgres_config& config) {
  auto any = config;
  // The service's sessions refuse a standby, and then nobody could tell that it is one.
  any.url += any.url.find('?') == std::string::npos ? '?' : '&';
  any.url += "target_session_attrs=any";
  session db{any, "doctor", planner::free};
  return db.run([&] { return read_all(db.sql()); });
}

} // namespace notify
