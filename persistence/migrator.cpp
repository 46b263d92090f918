#include "persistence/migrator.hpp"

#include "messages/error.hpp"
#include "persistence/session.hpp"

#include <soci/postgresql/soci-postgresql.h>

#include <chrono>
#include <stdexcept>

namespace notify {

namespace {

// Any fixed number; all versions of the service must agree on it.
constexpr auto lock_query = "select pg_advisory_lock(7238019465811)";
constexpr auto unlock_query = "select pg_advisory_unlock(7238019465811)";
constexpr caf::timespan one_wait = std::chrono::milliseconds{300};

constexpr auto bootstrap = R"(
create schema if not exists notify;
create table notify.schema_migrations (
  version int primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now());
)";

constexpr std::string_view no_transaction = "-- no-transaction\n";

/// Why the schema does not fit this binary.
struct schema_conflict : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string title(const migration& x) {
  auto version = std::to_string(x.version);
  return std::string(version.size() < 4 ? 4 - version.size() : 0, '0') + version + "_"
         + std::string{x.name};
}

// Runs `f` in a session and turns `schema_conflict` into a value as well.
template <class F>
auto guarded(session& db, F&& f) -> caf::expected<std::invoke_result_t<F&>> {
  try {
    return db.run(std::forward<F>(f));
  } catch (const schema_conflict& x) {
    return caf::make_error(ec::storage_schema, std::string{x.what()});
  }
}

bool has_history(soci::session& sql) {
  int found = 0;
  sql << "select count(to_regclass('notify.schema_migrations'))", soci::into(found);
  return found == 1;
}

void check_encoding(soci::session& sql) {
  std::string encoding;
  sql << "show server_encoding", soci::into(encoding);
  if (encoding != "UTF8")
    throw schema_conflict{"the database's encoding is " + encoding + ", not UTF8"};
}

// Returns the version of the database after comparing all that was applied with what is known.
int32_t check_history(soci::session& sql, std::span<const migration> known) {
  soci::rowset<soci::row> rows =
      (sql.prepare << "select version, name, checksum from notify.schema_migrations "
                      "order by version");
  int32_t version = 0;
  for (auto& row : rows) {
    auto applied = row.get<int>(0);
    auto name = row.get<std::string>(1);
    if (static_cast<size_t>(applied) > known.size())
      throw schema_conflict{"the database has version " + std::to_string(applied) + " (" + name
                            + "), this binary knows " + std::to_string(known.size())};
    auto& expected = known[static_cast<size_t>(version)];
    if (applied != expected.version || name != expected.name
        || row.get<std::string>(2) != expected.checksum)
      throw schema_conflict{"the database's migration " + std::to_string(applied) + " (" + name
                            + ") differs from " + title(expected)};
    version = applied;
  }
  return version;
}

void remember(soci::session& sql, const migration& x) {
  // SOCI binds by reference and runs at the end of the expression: no temporaries.
  std::string name{x.name}, checksum{x.checksum};
  sql << "insert into notify.schema_migrations (version, name, checksum) values (:v, :n, :c)",
      soci::use(x.version, "v"), soci::use(name, "n"), soci::use(checksum, "c");
}

// A statement of such a file ends with a semicolon at the end of a line. It must bear being run
// again, since it is remembered only after all of them.
void run_one_by_one(session& db, std::string_view text) {
  while (!text.empty()) {
    auto end = text.find(";\n");
    auto size = end == std::string_view::npos ? text.size() : end + 2;
    db.run_script(std::string{text.substr(0, size)});
    text.remove_prefix(size);
  }
}

void apply(session& db, const migration& x) {
  if (x.sql.starts_with(no_transaction)) {
    run_one_by_one(db, x.sql);
    remember(db.sql(), x);
    return;
  }
  soci::transaction transaction{db.sql()};
  db.run_script(std::string{x.sql});
  remember(db.sql(), x);
  transaction.commit();
}

void set_lock_timeout(soci::session& sql, caf::timespan x) {
  auto ms = std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(x).count());
  sql << "select set_config('lock_timeout', :ms, false)", soci::use(ms, "ms");
}

// Waits in short transactions: one long wait would hold a snapshot, and the process that has the
// lock may be building an index concurrently, which waits for all snapshots.
void lock(soci::session& sql, caf::timespan limit) {
  using clock = std::chrono::steady_clock;
  auto deadline = clock::now() + limit;
  set_lock_timeout(sql, one_wait);
  for (;;) {
    try {
      sql << lock_query;
      break;
    } catch (const soci::postgresql_soci_error& x) {
      auto out_of_time = limit.count() > 0 && clock::now() >= deadline;
      if (x.sqlstate() != "55P03" || out_of_time)
        throw;
    }
  }
  set_lock_timeout(sql, limit);
}

migration_report migrate_locked(session& db, std::span<const migration> known) {
  check_encoding(db.sql());
  if (!has_history(db.sql()))
    db.run_script(bootstrap);
  migration_report report;
  report.from = check_history(db.sql(), known);
  report.to = report.from;
  for (auto& x : known.subspan(static_cast<size_t>(report.from))) {
    apply(db, x);
    report.to = x.version;
    report.applied.push_back(title(x));
  }
  return report;
}

} // namespace

caf::expected<migration_report> migrate(const postgres_config& config,
                                        std::span<const migration> known) {
  auto patient = config;
  patient.statement_timeout = caf::timespan{0}; // An index on a big table takes its time.
  session db{patient, "migrate", planner::free};
  return guarded(db, [&] {
    // Held by the session: whatever happens, the end of the connection gives it back.
    lock(db.sql(), config.lock_timeout);
    auto report = migrate_locked(db, known);
    db.sql() << unlock_query;
    return report;
  });
}

caf::expected<schema_report> schema_state(const postgres_config& config,
                                          std::span<const migration> known) {
  session db{config, "schema", planner::free};
  return guarded(db, [&] {
    schema_report report;
    report.wanted = static_cast<int32_t>(known.size());
    check_encoding(db.sql());
    if (has_history(db.sql()))
      report.version = check_history(db.sql(), known);
    for (const auto& x : known.subspan(static_cast<size_t>(report.version)))
      report.pending.push_back(title(x));
    return report;
  });
}

} // namespace notify
