#include "persistence/pg_janitor_store.hpp"

#include "persistence/retention_statements.hpp"

#include <chrono>

namespace notify {

namespace {

caf::timespan age_of(retained kind, const retention_times& keep) {
  switch (kind) {
  case retained::jobs:
    return keep.jobs;
  case retained::dead_jobs:
    return keep.dead_jobs;
  case retained::events:
    return dedup_window(keep);
  case retained::dead_letters:
    return keep.dead_letters;
  case retained::operations:
    return keep.operations;
  case retained::suppressions:
    break;
  }
  return caf::timespan{0}; // Each says itself how long it lasts.
}

long long microseconds(caf::timespan x) {
  return std::chrono::duration_cast<std::chrono::microseconds>(x).count();
}

/// One of the statements with what it binds. SOCI binds by reference, so it stays where it is.
class retention_query {
public:
  retention_query(session& db, retained kind, const retention_times& keep,
                  const sweep_position& after, uint32_t limit)
      : keep_us_(microseconds(age_of(kind, keep))), inbox_us_(microseconds(dedup_window(keep))),
        limit_(limit), after_(after), statement_(db.sql()), kind_(kind) {}

  retention_query(const retention_query&) = delete;
  retention_query& operator=(const retention_query&) = delete;

  cleaned_batch clean() {
    long long looked_at = 0, deleted = 0, events = 0;
    std::string at, id;
    for (auto* number : {&looked_at, &deleted, &events})
      statement_.exchange(soci::into(*number));
    statement_.exchange(soci::into(at));
    statement_.exchange(soci::into(id));
    if (is_job())
      statement_.exchange(soci::use(inbox_us_, "inbox_us"));
    run(clean_statement(kind_));
    cleaned_batch result;
    result.looked_at = static_cast<uint64_t>(looked_at);
    result.deleted = static_cast<uint64_t>(deleted);
    result.events = static_cast<uint64_t>(events);
    result.last = at.empty() ? after_ : sweep_position{at, id};
    return result;
  }

  uint64_t backlog() {
    long long count = 0;
    statement_.exchange(soci::into(count));
    run(backlog_statement(kind_));
    return static_cast<uint64_t>(count);
  }

private:
  bool is_job() const { return kind_ == retained::jobs || kind_ == retained::dead_jobs; }

  void run(const std::string& text) {
    statement_.exchange(soci::use(limit_, "limit"));
    if (kind_ != retained::suppressions)
      statement_.exchange(soci::use(keep_us_, "keep_us"));
    if (is_job() || kind_ == retained::events) {
      statement_.exchange(soci::use(after_.at, "at"));
      statement_.exchange(soci::use(after_.id, "id"));
    }
    statement_.alloc();
    statement_.prepare(text, soci::details::st_one_time_query);
    statement_.define_and_bind();
    statement_.execute(true);
  }

  long long keep_us_, inbox_us_, limit_;
  sweep_position after_;
  soci::statement statement_;
  retained kind_;
};

} // namespace

pg_janitor_store::pg_janitor_store(const postgres_config& config, const retention_times& keep)
    : session_(config, "janitor"), keep_(keep) {}

bool pg_janitor_store::take_lock() {
  int got = 0;
  session_.sql() << "select pg_try_advisory_xact_lock(:lock)::int", soci::use(janitor_lock, "lock"),
      soci::into(got);
  return got == 1;
}

bool pg_janitor_store::keeps_for_ever(retained kind) const {
  return kind != retained::suppressions && age_of(kind, keep_).count() == 0;
}

caf::expected<cleaned_batch> pg_janitor_store::clean(retained kind, const sweep_position& after,
                                                     uint32_t limit) {
  cleaned_batch nothing;
  nothing.last = after;
  if (keeps_for_ever(kind))
    return nothing;
  return run_transaction(session_, [&] {
    // A statement of its own: the next one must see what the last holder committed.
    nothing.is_ours = take_lock();
    if (!nothing.is_ours)
      return nothing;
    return retention_query{session_, kind, keep_, after, limit}.clean();
  });
}

caf::expected<uint64_t> pg_janitor_store::backlog(retained kind, const sweep_position& after,
                                                  uint32_t look) {
  if (keeps_for_ever(kind))
    return uint64_t{0};
  return session_.run([&] {
    return retention_query{session_, kind, keep_, after, look}.backlog();
  });
}

} // namespace notify
