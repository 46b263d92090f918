#include "persistence/notification_query.hpp"

#include "messages/error.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace notify {

namespace {

constexpr std::array<std::string_view, 6> statuses{"pending", "processing", "retry_wait",
                                                   "sent",    "dead",       "cancelled"};

/// More rows than this are not sorted for one answer: the order of all notifications leads on.
constexpr long long few = 10'000;

/// A time that PostgreSQL has, and that a page's key can hold.
bool is_sane(const caf::optional<int64_t>& us) {
  return !us || (*us >= 0 && *us <= newest_key.at_us);
}

bool is_waiting(const std::string& status) {
  return status == "pending" || status == "retry_wait";
}

constexpr auto in_queue =
    "(select q.job_id from notify.job_queue q where q.job_id = j.id) is not null";

/// As the view `notify.notifications` says it.
std::string status_condition(const std::string& status) {
  std::string text = "j.status = 'open' and ";
  if (status == "processing")
    text += "not ";
  else if (status == "pending")
    text += "j.attempt_count = 0 and ";
  else if (status == "retry_wait")
    text += "j.attempt_count > 0 and ";
  else // One of the words above, never a client's.
    return "j.status = '" + status + "'";
  return text += in_queue;
}

/// What of `x` a row `j` has to fulfil, wherever it comes from. Other tables are asked by scalar
/// subqueries, row by row: anything else could be planned as a scan of a whole table.
std::string condition(const notification_filter& x) {
  std::string result = "true";
  auto add = [&](bool wanted, std::string_view text) {
    if (wanted)
      result += " and " + std::string{text};
  };
  add(!x.channel.empty(), "j.channel = :f_channel");
  add(!x.event_type.empty(), "j.event_type = :f_event_type");
  add(!x.recipient.empty(), "j.recipient = :f_recipient");
  add(!x.provider.empty(), "j.provider = :f_provider");
  add(!x.error_code.empty(), "j.status <> 'sent' and j.last_error_code = :f_error_code");
  add(static_cast<bool>(x.event_id), "j.event_id = :f_event_id::uuid");
  add(!x.correlation_id.empty(),
      "(select e.correlation_id from notify.inbox_events e where e.event_id = j.event_id)"
      " = :f_correlation_id");
  if (!x.status.empty())
    add(true, status_condition(x.status));
  return "coalesce(" + result + ", false)";
}

constexpr auto place = "timestamptz 'epoch' + :from_us::bigint * interval '1 microsecond', "
                       ":from_id::uuid";
constexpr auto not_older =
    "j.created_at >= timestamptz 'epoch' + :oldest_us::bigint * interval '1 microsecond'";

/// Rows of `from` behind the page's place, newest first.
std::string behind(const std::string& columns, const std::string& from,
                   const std::string& and_where) {
  return "select " + columns + " from " + from + " j where (j.created_at, j.id) < (" + place
         + ") and " + not_older + and_where
         + " order by j.created_at desc, j.id desc limit :look::int";
}

/// Keeps the planner from walking another index in the hope of a match.
std::string fenced(const std::string& condition) {
  return "(select * from notify.notification_jobs where " + condition + " offset 0)";
}

long long count_up_to(soci::session& sql, const std::string& rows, long long limit) {
  long long count = 0;
  sql << "select count(*) from (" + rows + " limit " + std::to_string(limit) + ") x",
      soci::into(count);
  return count;
}

} // namespace

bool is_empty(const notification_filter& x) {
  return x.status.empty() && x.channel.empty() && x.event_type.empty() && x.recipient.empty()
         && x.correlation_id.empty() && x.error_code.empty() && x.provider.empty() && !x.event_id
         && !x.created_from_us && !x.created_to_us;
}

caf::error check_filter(const notification_filter& x) {
  auto invalid = [](const char* what) {
    return caf::make_error(ec::invalid_request, std::string{what});
  };
  if (!x.status.empty() && std::find(statuses.begin(), statuses.end(), x.status) == statuses.end())
    return invalid("status is none of pending, processing, retry_wait, sent, dead, cancelled");
  for (const auto* text :
       {&x.channel, &x.event_type, &x.recipient, &x.correlation_id, &x.error_code, &x.provider})
    if (text->find('\0') != std::string::npos)
      return invalid("a filter has a NUL in it");
  if (!is_sane(x.created_from_us) || !is_sane(x.created_to_us))
    return invalid("a time is outside of the years 1970 to 9999");
  return {};
}

notification_query::notification_query(soci::session& sql, const notification_filter& filter)
    : sql_(sql), filter_(filter) {
  oldest_us_ = filter.created_from_us.value_or(0);
  if (filter.event_id)
    event_id_ = to_string(*filter.event_id);
  text_ = "with seen as materialized (" + candidates() + R"(),
hit as materialized (
  select id, created_at from seen where fits order by created_at desc, id desc limit :limit::int)
select (select count(*) from seen),
  coalesce((select (extract(epoch from created_at) * 1000000)::bigint from seen
    order by created_at, id limit 1), 0),
  coalesce((select id::text from seen order by created_at, id limit 1), ''),
  coalesce((extract(epoch from hit.created_at) * 1000000)::bigint, 0), coalesce(hit.id::text, '')
from (select) as one left join hit on true
order by hit.created_at desc, hit.id desc
)";
}

// Jobs in flight are few. An entry of a lease may be over already, or wait again.
std::string notification_query::waiting_jobs(bool queued, bool leased) const {
  std::string ids;
  if (queued)
    ids = filter_.channel.empty()
              ? "select q.job_id from notify.job_queue q"
              : "select q.job_id from notify.job_queue q where q.channel = :f_channel";
  if (leased)
    ids += std::string{ids.empty() ? "" : " union "}
           + "select u.job_id from notify.leases l, unnest(l.job_ids) as u(job_id)";
  return fenced("id = any (array(" + ids + ")) and status = 'open'");
}

std::string notification_query::candidates() const {
  auto columns = "j.id, j.created_at, " + condition(filter_) + " as fits";
  const std::string all = "notify.notification_jobs";
  if (filter_.event_id)
    return behind(columns, fenced("event_id = :f_event_id::uuid"), "");
  if (!filter_.correlation_id.empty()) {
    long long events = 0;
    sql_ << "select count(*) from (select from notify.inbox_events where correlation_id = :id and "
            "correlation_id <> '' limit "
                + std::to_string(few / 10) + ") x",
        soci::use(filter_.correlation_id, "id"), soci::into(events);
    // A producer that gives all its events one id would have us sort all of them.
    if (events < few / 10)
      return behind(columns,
                    fenced("event_id = any (array(select event_id from notify.inbox_events where "
                           "correlation_id = :f_correlation_id and correlation_id <> ''))"),
                    "");
  }
  if (!filter_.recipient.empty())
    return "select " + columns + " from " + all
           + " j where (j.recipient, j.created_at, j.id) < (:f_recipient, " + place
           + ") and j.recipient >= :f_recipient and " + not_older
           + " order by j.recipient desc, j.created_at desc, j.id desc limit :look::int";
  const auto& status = filter_.status;
  if (status == "dead")
    return behind(columns, all, " and j.dead_reason is not null");
  if (status == "cancelled")
    return behind(columns, all, " and j.cancelled_at is not null");
  if (status == "processing")
    return behind(columns, waiting_jobs(false, true), "");
  auto any_unfinished = status.empty() && !filter_.error_code.empty();
  if (!is_waiting(status) && !any_unfinished)
    return behind(columns, all, "");
  auto queue_is_short = count_up_to(sql_, "select from notify.job_queue", few) < few;
  if (!queue_is_short)
    return behind(columns, all, "");
  if (is_waiting(status))
    return behind(columns, waiting_jobs(true, false), "");
  // Whatever has an error and was not sent: dead, cancelled, or open still.
  return "select * from ((" + behind(columns, all, " and j.dead_reason is not null")
         + ") union all (" + behind(columns, all, " and j.cancelled_at is not null")
         + ") union all (" + behind(columns, waiting_jobs(true, true), "")
         + ")) x order by created_at desc, id desc limit :look::int";
}

void notification_query::bind(soci::statement& statement) {
  auto text = [&](const std::string& value, const char* name) {
    if (!value.empty())
      statement.exchange(soci::use(value, name));
  };
  text(filter_.channel, "f_channel");
  text(filter_.event_type, "f_event_type");
  text(filter_.recipient, "f_recipient");
  text(filter_.provider, "f_provider");
  text(filter_.error_code, "f_error_code");
  text(filter_.correlation_id, "f_correlation_id");
  text(event_id_, "f_event_id");
  statement.exchange(soci::use(from_us_, "from_us"));
  statement.exchange(soci::use(from_id_, "from_id"));
  statement.exchange(soci::use(oldest_us_, "oldest_us"));
  statement.exchange(soci::use(limit_, "limit"));
  statement.exchange(soci::use(look_, "look"));
}

notification_query::step notification_query::find(const page_key& from, uint32_t limit,
                                                  uint32_t look) {
  auto begin = from;
  // "Created before" is a place like any other.
  if (filter_.created_to_us && *filter_.created_to_us <= begin.at_us)
    begin = {*filter_.created_to_us, {}};
  from_us_ = begin.at_us;
  from_id_ = to_string(begin.id);
  limit_ = limit;
  look_ = look;
  long long seen = 0, last_us = 0, hit_us = 0;
  std::string last_id, hit_id;
  soci::statement statement{sql_};
  for (auto* number : {&seen, &last_us})
    statement.exchange(soci::into(*number));
  statement.exchange(soci::into(last_id));
  statement.exchange(soci::into(hit_us));
  statement.exchange(soci::into(hit_id));
  bind(statement);
  statement.alloc();
  statement.prepare(text_, soci::details::st_one_time_query);
  statement.define_and_bind();
  step result;
  for (auto more = statement.execute(true); more; more = statement.fetch()) {
    if (hit_id.empty())
      continue;
    result.hits.push_back({hit_us, *uuid::parse(hit_id)});
    result.next = result.hits.back();
  }
  if (result.hits.size() == limit)
    return result;
  result.is_last = seen < look;
  if (!result.is_last)
    result.next = {last_us, *uuid::parse(last_id)};
  return result;
}

} // namespace notify
