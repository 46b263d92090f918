#include "messages/error.hpp"
#include "persistence/database_facts.hpp"
#include "persistence/migrator.hpp"
#include "tools/doctor.hpp"
#include "tools/secrets.hpp"

#include <cstdio>
#include <cstdlib>

namespace notify::doctor {

namespace {

constexpr int32_t oldest_version = 150000;
constexpr int64_t few_connections = 10;

/// Leases and due times go by the database's clock, log lines and waits by ours.
constexpr int64_t clock_warning_us = 2'000'000;
constexpr int64_t clock_failure_us = 60'000'000;

std::string joined(const std::vector<std::string>& parts) {
  std::string result;
  for (const auto& x : parts)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

std::string seconds_text(int64_t us) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f s", static_cast<double>(us) / 1e6);
  return buffer;
}

void examine_server(const database_facts& x, findings& out) {
  auto name = "PostgreSQL " + x.version_text + ", user " + x.user;
  if (x.version < oldest_version)
    out.push_back({verdict::warning, "database", name, "the service is tested with 15 and newer"});
  else
    out.push_back({verdict::ok, "database", name, {}});
  if (x.is_standby)
    out.push_back({verdict::failure, "writable", "the server is a standby",
                   "name the primary in postgres.url, or several hosts"});
  else if (x.is_read_only)
    out.push_back({verdict::failure, "writable", "the server or the user is read-only",
                   "find out who set default_transaction_read_only, e.g. for a full disk"});
  else
    out.push_back({verdict::ok, "writable", "yes", {}});
  if (x.free_connections < few_connections)
    out.push_back({verdict::warning, "connections",
                   std::to_string(x.free_connections) + " are left",
                   "raise max_connections, or find who holds so many: pg_stat_activity"});
  if (!x.fsync)
    out.push_back({verdict::warning, "durability",
                   "fsync is off: a crash of the machine loses "
                   "what was promised",
                   "alter system set fsync = on, unless this is a test"});
}

void examine_vacuum(const database_facts& x, findings& out) {
  if (!x.autovacuum)
    out.push_back({verdict::warning, "vacuum",
                   "autovacuum or track_counts is off: deleted rows "
                   "never make room",
                   "alter system set autovacuum = on; alter system set track_counts = on"});
  else if (!x.unvacuumed_tables.empty())
    out.push_back(
        {verdict::warning, "vacuum", "autovacuum is off for " + joined(x.unvacuumed_tables),
         "alter table notify." + x.unvacuumed_tables.front() + " reset (autovacuum_enabled)"});
  else
    out.push_back({verdict::ok, "vacuum", "autovacuum is on", {}});
}

void examine_schema(const settings& config, const database_facts& facts, findings& out) {
  if (!facts.broken_indexes.empty())
    out.push_back({verdict::failure, "indexes",
                   "not valid, left by a build that did not end: " + joined(facts.broken_indexes),
                   "reindex index concurrently notify." + facts.broken_indexes.front()});
  else
    out.push_back({verdict::ok, "indexes", "all are valid", {}});
  if (!facts.missing_rights.empty())
    out.push_back({verdict::failure, "rights",
                   "the user " + facts.user + " lacks " + joined(facts.missing_rights),
                   "grant " + facts.missing_rights.front() + " to " + facts.user});
  else
    out.push_back({verdict::ok, "rights", "the user may read and write", {}});
  if (facts.is_standby || facts.is_read_only)
    return; // The sessions of the service do not connect to it.
  auto state = schema_state(config.service().postgres);
  if (!state)
    out.push_back({verdict::failure, "schema", render(state.error()),
                   "use the notifyd that made this schema, or another database"});
  else if (state->version < state->wanted)
    out.push_back({verdict::failure, "schema",
                   "version " + std::to_string(state->version) + ", this program needs "
                       + std::to_string(state->wanted),
                   "notifyd migrate --config=FILE"});
  else
    out.push_back({verdict::ok, "schema", "version " + std::to_string(state->version), {}});
}

void examine_clock(const database_facts& x, findings& out) {
  auto difference = std::abs(x.clock_ahead_us);
  auto text = "the database's clock differs from ours by " + seconds_text(x.clock_ahead_us);
  auto sure = difference - x.clock_doubt_us;
  auto what = sure > clock_failure_us   ? verdict::failure
              : sure > clock_warning_us ? verdict::warning
                                        : verdict::ok;
  out.push_back({what, "database clock", text,
                 what == verdict::ok ? "" : "let both machines ask the same time servers"});
}

} // namespace

void examine_database(const settings& config, findings& out) {
  auto facts = read_database_facts(config.service().postgres);
  if (!facts) {
    out.push_back({verdict::failure, "database",
                   mask_url(config.service().postgres.url) + ": " + render(facts.error()),
                   "start the server, or repair postgres.url, its password or pg_hba.conf"});
    return;
  }
  examine_server(*facts, out);
  examine_schema(config, *facts, out);
  examine_vacuum(*facts, out);
  examine_clock(*facts, out);
}

} // namespace notify::doctor
