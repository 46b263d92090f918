#include "persistence/pg_reaper_store.hpp"

namespace notify {

namespace {

struct reap_statement {
  int limit = 0, cap = 0;
  // A row for each channel, and one without a channel if no job was concerned.
  long long leases = 0, released = 0, dead = 0;
  std::string channel;
  soci::statement statement;

  reap_statement(soci::session& sql, const std::string& text)
      : statement((sql.prepare << text, soci::use(limit, "limit"), soci::use(cap, "cap1"),
                   soci::use(cap, "cap2"), soci::use(cap, "cap3"), soci::into(leases),
                   soci::into(channel), soci::into(released), soci::into(dead))) {}
};

} // namespace

pg_reaper_store::pg_reaper_store(const postgres_config& config, delivery_statements statements)
    : session_(config, "reaper"), statements_(std::move(statements)) {}

caf::expected<reap_report> pg_reaper_store::reap(uint32_t limit, int32_t cap) {
  return session_.run([&] {
    auto& x = session_.prepared<reap_statement>(statements_.reap_leases);
    x.limit = static_cast<int>(limit);
    x.cap = cap;
    reap_report result;
    for (auto more = x.statement.execute(true); more; more = x.statement.fetch()) {
      result.leases = static_cast<uint64_t>(x.leases);
      result.released += static_cast<uint64_t>(x.released);
      if (x.dead > 0)
        result.dead[x.channel] = static_cast<uint64_t>(x.dead);
    }
    return result;
  });
}

} // namespace notify
