#include "persistence/pg_operation_store.hpp"

#include "messages/error.hpp"
#include "persistence/notification_query.hpp"
#include "persistence/operator_rows.hpp"
#include "persistence/operator_statements.hpp"
#include "persistence/pg_array.hpp"

#include <string>

namespace notify {

namespace {

// Lock order of a batch: the operation, then what acting locks. Whoever cancels an operation waits
// for its batch and holds nothing meanwhile.
const std::string& take_operation() {
  static const auto text =
      "select " + operation_columns
      + ", coalesce(o.reached_id::text, '') from notify.operations o where o.status = 'running' "
        "order by o.updated_at, o.id limit 1 for update of o skip locked";
  return text;
}

// Times by the wall clock: the transaction began before the batch.
constexpr auto store_progress = R"(
with passed as materialized (
  select u.id, u.reason from unnest(:ids::uuid[], :reasons::text[]) as u(id, reason)),
kept as (
  insert into notify.operation_skips (operation_id, job_id, reason)
  select :id::bigint, id, reason from passed
  limit greatest(0, (select :most::int - skips_kept from notify.operations where id = :id))
  on conflict do nothing
  returning 1),
counted as (
  select key, sum(n) as n from (
    select s.key, s.value::bigint as n
    from notify.operations o, jsonb_each_text(o.skipped) s where o.id = :id
    union all
    select reason, count(*) from passed group by reason) x
  group by key)
update notify.operations o set
  matched = o.matched + :matched, done = o.done + :done,
  skipped = coalesce((select jsonb_object_agg(key, n) from counted), '{}'),
  skips_kept = o.skips_kept + (select count(*) from kept),
  reached_at = case when :over::int = 1 then o.reached_at
    else timestamptz 'epoch' + :at_us::bigint * interval '1 microsecond' end,
  reached_id = case when :over::int = 1 then o.reached_id else :at_id::uuid end,
  updated_at = clock_timestamp(),
  status = case when :over::int = 1 then 'done' else 'running' end,
  finished_at = case when :over::int = 1 then clock_timestamp() end
where o.id = :id
)";

constexpr auto audit_end = R"(
insert into notify.audit_log (actor, action, target, details)
select created_by, 'operation.' || status, 'operation ' || id, jsonb_build_object(
  'matched', matched, 'done', done, 'skipped', skipped, 'error', error)
from notify.operations where id = :id
)";

constexpr auto fail_operation = R"(
update notify.operations set status = 'failed', error = :error, finished_at = now(),
  updated_at = now()
where id = :id and status = 'running'
)";

} // namespace

struct pg_operation_store::held_operation {
  operation_line line;
  page_key from;
};

pg_operation_store::pg_operation_store(const postgres_config& config)
    : session_(config, "operations") {}

caf::expected<operation_step> pg_operation_store::work(const operation_batch& batch) {
  int64_t id = 0;
  auto step = run_transaction(session_, [&]() -> operation_step {
    auto held = take();
    if (!held)
      return {};
    id = held->line.id;
    return advance(*held, batch);
  });
  // Trying again would not help: somebody stored what this version cannot read or ask.
  if (!step && step.error() == ec::storage_data && id != 0)
    fail(id, step.error());
  return step;
}

caf::optional<pg_operation_store::held_operation> pg_operation_store::take() {
  soci::rowset<soci::row> rows = session_.sql().prepare << take_operation();
  for (const auto& row : rows) {
    column_reader from{row};
    held_operation x;
    x.line = read_operation(from);
    auto reached = from.maybe_id();
    // What was created after the operation is not its business; so it comes to an end.
    x.from = {x.line.created_us, newest_key.id};
    if (reached && x.line.reached_us)
      x.from = {*x.line.reached_us, *reached};
    return x;
  }
  return caf::none;
}

operation_step pg_operation_store::advance(const held_operation& x, const operation_batch& batch) {
  notification_query query{session_.sql(), x.line.filter};
  auto found = query.find(x.from, batch.acts, batch.look);
  std::vector<uuid> ids;
  for (const auto& hit : found.hits)
    ids.push_back(hit.id);
  pg_array passed, reasons;
  operation_step step{x.line.id, found.is_last, ids.size(), 0};
  if (!ids.empty())
    for (const auto& act : act_on(session_.sql(), x.line.kind, x.line.fresh_key, ids)) {
      if (act.done) {
        ++step.done;
        continue;
      }
      passed.add_uuid(act.id);
      reasons.add_text(act.status);
    }
  long long id = step.id;
  auto matched = static_cast<long long>(step.matched);
  auto done = static_cast<long long>(step.done);
  long long most = kept_skips;
  int over = step.is_over ? 1 : 0;
  long long at_us = found.next.at_us;
  auto at_id = to_string(found.next.id);
  session_.sql() << store_progress, soci::use(passed.text(), "ids"),
      soci::use(reasons.text(), "reasons"), soci::use(id, "id"), soci::use(most, "most"),
      soci::use(matched, "matched"), soci::use(done, "done"), soci::use(over, "over"),
      soci::use(at_us, "at_us"), soci::use(at_id, "at_id");
  if (step.is_over)
    session_.sql() << audit_end, soci::use(id, "id");
  return step;
}

void pg_operation_store::fail(int64_t id, const caf::error& reason) {
  // If this fails as well, the next batch does, too.
  run_transaction(session_, [&] {
    long long wanted = id;
    auto text = render(reason);
    session_.sql() << fail_operation, soci::use(text, "error"), soci::use(wanted, "id");
    session_.sql() << audit_end, soci::use(wanted, "id");
    return true;
  });
}

} // namespace notify
