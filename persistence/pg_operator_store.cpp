#include "persistence/pg_operator_store.hpp"

#include "messages/error.hpp"
#include "persistence/audit_log.hpp"
#include "persistence/delivery_statements.hpp"
#include "persistence/notification_query.hpp"
#include "persistence/operator_rows.hpp"
#include "persistence/operator_statements.hpp"
#include "persistence/pg_array.hpp"

#include <string>

namespace notify {

namespace {

// The filter is stored by the API's names, as its parts were given.
constexpr auto insert_operation = R"(
insert into notify.operations (kind, fresh_key, created_by, filter)
select :kind::text, :fresh::int = 1, :by::text, jsonb_strip_nulls(jsonb_build_object(
  'status', nullif(:status, ''), 'channel', nullif(:channel, ''),
  'event_type', nullif(:event_type, ''), 'recipient', nullif(:recipient, ''),
  'correlation_id', nullif(:correlation_id, ''), 'error_code', nullif(:error_code, ''),
  'provider', nullif(:provider, ''), 'event_id', nullif(:event_id, ''),
  'created_from', $from, 'created_to', $to))
returning id
)";

/// SQL for a time of the API, or null for a negative number of microseconds.
std::string api_time(const std::string& us) {
  return "case when " + us + "::bigint >= 0 then to_char((timestamptz 'epoch' + " + us
         + "::bigint * interval '1 microsecond') at time zone 'UTC', "
           "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') end";
}

std::string complete_insert() {
  std::string text = insert_operation;
  text.replace(text.find("$from"), 5, api_time(":from_us"));
  text.replace(text.find("$to"), 3, api_time(":to_us"));
  return text;
}

constexpr auto audit_operation = R"(
insert into notify.audit_log (actor, action, target, details)
select :by::text, :action::text, 'operation ' || o.id, jsonb_build_object('filter', o.filter,
  'key', case when o.fresh_key then 'fresh' else 'same' end, 'matched', o.matched, 'done', o.done,
  'skipped', o.skipped)
from notify.operations o where o.id = :id
)";

constexpr auto end_operation = R"(
with ended as (
  update notify.operations set status = 'cancelled', finished_at = now(), updated_at = now()
  where id = :id and status = 'running'
  returning id)
select count(*) from ended
)";

std::string action_of(bulk_kind kind) {
  return "notification." + to_string(kind);
}

caf::error wrong_state(bulk_kind kind, const std::string& status) {
  std::string text;
  if (kind == bulk_kind::retry)
    text = "only dead notifications can be retried; this one is " + status;
  else if (status == "processing")
    text = "it is being sent right now (processing) and cannot be called back";
  else
    text = "only notifications that wait can be cancelled; this one is " + status;
  return caf::make_error(ec::wrong_state, std::move(text));
}

caf::error nothing_there() {
  return caf::make_error(ec::not_found, std::string{"there is nothing with this id"});
}

} // namespace

pg_operator_store::pg_operator_store(const postgres_config& config)
    : session_(config, "operator") {}

caf::expected<notification_acted> pg_operator_store::act(bulk_kind kind, const uuid& id,
                                                         bool fresh_key, const std::string& by) {
  act_result result;
  auto once = [&]() -> notification_acted {
    result = act_on(session_.sql(), kind, fresh_key, {id}).at(0);
    if (!result.done)
      return {};
    auto text = to_string(id);
    auto details = kind == bulk_kind::cancel
                       ? std::string{"{}"}
                       : std::string{R"({"key":")"} + (fresh_key ? "fresh" : "same") + "\"}";
    write_audit(session_.sql(), {by, action_of(kind), text, details});
    notification_acted acted;
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << "select " + notification_columns
                                       + " from notify.notifications n where n.id = :id::uuid",
         soci::use(text, "id"));
    for (const auto& row : rows) {
      column_reader from{row};
      acted.notification = read_notification(from);
    }
    return acted;
  };
  auto answer = run_transaction(session_, once);
  // A deadlock or a short wait for a lock is nobody's business.
  for (int tries = 1; !answer && answer.error() == ec::storage_conflict && tries < 3; ++tries)
    answer = run_transaction(session_, once);
  if (!answer)
    return answer;
  if (result.status == "gone")
    return nothing_there();
  if (!result.done)
    return wrong_state(kind, result.status);
  if (kind == bulk_kind::retry && result.had_late_success)
    answer->warnings.emplace_back("late_success");
  if (kind == bulk_kind::retry && result.had_unknowns)
    answer->warnings.emplace_back("unknown_outcome");
  return answer;
}

caf::expected<notification_acted> pg_operator_store::retry(const retry_notification& x) {
  return act(bulk_kind::retry, x.id, x.fresh_key, x.by);
}

caf::expected<notification_acted> pg_operator_store::cancel(const cancel_notification& x) {
  return act(bulk_kind::cancel, x.id, false, x.by);
}

caf::optional<operation_line> pg_operator_store::find_operation(long long id) {
  soci::rowset<soci::row> rows =
      (session_.sql().prepare << "select " + operation_columns
                                     + " from notify.operations o where o.id = :id",
       soci::use(id, "id"));
  for (const auto& row : rows) {
    column_reader from{row};
    return read_operation(from);
  }
  return caf::none;
}

caf::expected<operation_line> pg_operator_store::start(const start_operation& x) {
  if (auto err = check_filter(x.filter))
    return err;
  if (is_empty(x.filter))
    return caf::make_error(ec::invalid_request, std::string{"the filter is empty"});
  return run_transaction(session_, [&] {
    static const auto text = complete_insert();
    const auto& f = x.filter;
    auto kind = to_string(x.kind);
    auto action = action_of(x.kind);
    auto event_id = f.event_id ? to_string(*f.event_id) : std::string{};
    int fresh = x.fresh_key ? 1 : 0;
    long long from_us = f.created_from_us.value_or(-1);
    long long to_us = f.created_to_us.value_or(-1);
    long long id = 0;
    const auto& by = without_nul(x.by);
    session_.sql() << text, soci::use(kind, "kind"), soci::use(fresh, "fresh"), soci::use(by, "by"),
        soci::use(f.status, "status"), soci::use(f.channel, "channel"),
        soci::use(f.event_type, "event_type"), soci::use(f.recipient, "recipient"),
        soci::use(f.correlation_id, "correlation_id"), soci::use(f.error_code, "error_code"),
        soci::use(f.provider, "provider"), soci::use(event_id, "event_id"),
        soci::use(from_us, "from_us"), soci::use(to_us, "to_us"), soci::into(id);
    session_.sql() << audit_operation, soci::use(by, "by"), soci::use(action, "action"),
        soci::use(id, "id");
    return *find_operation(id);
  });
}

caf::expected<operation_line> pg_operator_store::cancel(const cancel_operation& x) {
  long long ended = 0;
  auto found = run_transaction(session_, [&] {
    long long id = x.id;
    session_.sql() << end_operation, soci::use(id, "id"), soci::into(ended);
    const auto& by = without_nul(x.by);
    const std::string action = "operation.cancel";
    if (ended > 0)
      session_.sql() << audit_operation, soci::use(by, "by"), soci::use(action, "action"),
          soci::use(id, "id");
    return find_operation(id);
  });
  if (!found)
    return found.error();
  if (!*found)
    return nothing_there();
  if (ended == 0)
    return caf::make_error(ec::wrong_state, "only running operations can be cancelled; this one is "
                                                + (*found)->status);
  return std::move(**found);
}

caf::expected<channel_pause_set> pg_operator_store::set_paused(const pause_channel& x) {
  return run_transaction(session_, [&] {
    const auto& channel = without_nul(x.channel);
    const auto& by = without_nul(x.by);
    const delivery_statements statements;
    int changed = 0;
    if (x.paused)
      session_.sql() << statements.pause_channel, soci::use(channel, "channel"),
          soci::use(by, "by"), soci::into(changed);
    else
      session_.sql() << statements.resume_channel, soci::use(channel, "channel"),
          soci::into(changed);
    if (changed > 0)
      write_audit(session_.sql(),
                  {by, x.paused ? "channel.pause" : "channel.resume", channel, "{}"});
    return channel_pause_set{channel, changed > 0};
  });
}

caf::error pg_operator_store::announce(const std::string& by, const std::string& action,
                                       const std::string& target, const std::string& details) {
  auto done = session_.run([&] {
    write_audit(session_.sql(), {by, action, target, details});
    return true;
  });
  return done ? caf::error{} : done.error();
}

} // namespace notify
