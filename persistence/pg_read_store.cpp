#include "persistence/pg_read_store.hpp"

#include "messages/error.hpp"
#include "persistence/notification_query.hpp"
#include "persistence/operator_rows.hpp"
#include "persistence/pg_array.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace notify {

namespace {

using clock = std::chrono::steady_clock;

constexpr size_t most_attempts = 200;  ///< Of one notification in a story.
constexpr size_t most_siblings = 100;  ///< Notifications in an event's story.
constexpr uint32_t first_look = 500;   ///< Rows that a list looks at first: most fit what is asked.
constexpr int64_t audit_window = 5000; ///< Rows of the audit log that one answer looks at.

pg_array array_of(const std::vector<page_key>& keys) {
  pg_array result;
  for (const auto& x : keys)
    result.add_uuid(x.id);
  return result;
}

caf::error nothing_there() {
  return caf::make_error(ec::not_found, std::string{"there is nothing with this id"});
}

/// The last attempts of each job, newest first. A function, because it is made of another file's
/// constant.
const std::string& attempts_of_jobs() {
  static const auto text =
      "select " + attempt_columns
      + " from unnest(:ids::uuid[]) as u(id), lateral (select * from notify.delivery_attempts x "
        "where x.job_id = u.id order by x.attempt_no desc limit "
      + std::to_string(most_attempts + 1) + ") a order by a.job_id, a.attempt_no desc";
  return text;
}

caf::expected<int64_t> place_of(const std::string& cursor, const std::string& question) {
  if (cursor.empty())
    return std::numeric_limits<int64_t>::max();
  return read_id_cursor(cursor, question);
}

} // namespace

pg_read_store::pg_read_store(const postgres_config& config, const read_bounds& bounds)
    : session_(config, "api"), bounds_(bounds) {}

std::vector<notification_line> pg_read_store::lines(const std::vector<page_key>& keys) {
  auto wanted = array_of(keys);
  soci::rowset<soci::row> rows =
      (session_.sql().prepare << "select " + notification_columns
                                     + " from notify.notifications n where n.id = any "
                                       "(:ids::uuid[]) order by n.created_at desc, n.id desc",
       soci::use(wanted.text(), "ids"));
  std::vector<notification_line> result;
  for (const auto& row : rows) {
    column_reader from{row};
    result.push_back(read_notification(from));
  }
  return result;
}

caf::expected<notification_page> pg_read_store::list(const list_notifications& x) {
  if (auto err = check_filter(x.filter))
    return err;
  auto question = hash_of(x.filter);
  auto from = newest_key;
  if (!x.cursor.empty()) {
    auto place = read_cursor(x.cursor, question);
    if (!place)
      return place.error();
    from = *place;
  }
  return session_.run([&] {
    notification_query query{session_.sql(), x.filter};
    auto begin = clock::now();
    std::vector<page_key> hits;
    notification_query::step step;
    auto look = std::min(bounds_.look, first_look);
    do {
      // One more than asked for tells whether there is a next page.
      auto missing = x.limit + 1 - static_cast<uint32_t>(hits.size());
      step = query.find(from, missing, std::max(look, missing));
      look = std::min(bounds_.look, 4 * look);
      hits.insert(hits.end(), step.hits.begin(), step.hits.end());
      from = step.next;
    } while (!step.is_last && hits.size() <= x.limit && clock::now() - begin < bounds_.patience);
    notification_page page;
    auto is_full = hits.size() > x.limit;
    if (is_full)
      hits.pop_back();
    page.items = lines(hits);
    if (is_full)
      page.next = make_cursor(hits.back(), question);
    else if (!step.is_last)
      page.next = make_cursor(from, question);
    return page;
  });
}

caf::optional<event_line> pg_read_store::find_event(const std::string& event_id) {
  soci::rowset<soci::row> rows =
      (session_.sql().prepare
           << "select " + event_columns
                  + " from notify.inbox_events e where e.event_id = :event_id::uuid",
       soci::use(event_id, "event_id"));
  for (const auto& row : rows) {
    column_reader from{row};
    return read_event(from);
  }
  return caf::none;
}

std::vector<notification_history>
pg_read_store::histories(std::vector<notification_line> notifications) {
  std::vector<notification_history> result;
  std::unordered_map<uuid, size_t> places;
  pg_array ids;
  for (auto& x : notifications) {
    places[x.id] = result.size();
    ids.add_uuid(x.id);
    result.push_back({std::move(x), {}, false});
  }
  soci::rowset<soci::row> rows =
      (session_.sql().prepare << attempts_of_jobs(), soci::use(ids.text(), "ids"));
  for (const auto& row : rows) {
    auto& history = result[places.at(*uuid::parse(row.get<std::string>(0)))];
    column_reader from{row};
    if (history.attempts.size() < most_attempts)
      history.attempts.push_back(read_attempt(from));
    else
      history.attempts_cut = true;
  }
  for (auto& x : result)
    std::reverse(x.attempts.begin(), x.attempts.end());
  return result;
}

caf::expected<notification_story> pg_read_store::notification(const uuid& id) {
  auto found = session_.run([&]() -> caf::optional<notification_story> {
    auto line = lines({{0, id}});
    if (line.empty())
      return caf::none;
    notification_story story;
    story.history = std::move(histories(std::move(line)).front());
    story.event = find_event(to_string(story.history.notification.event_id));
    return story;
  });
  if (!found)
    return found.error();
  if (!*found)
    return nothing_there();
  return std::move(**found);
}

caf::expected<event_story> pg_read_store::event(const uuid& event_id) {
  auto found =
      session_.run([&] {
        event_story story;
        story.event_id = event_id;
        auto id = to_string(event_id);
        story.event = find_event(id);
        long long limit = most_siblings + 1;
        soci::rowset<soci::row> rows =
            (session_.sql().prepare
                 << "select " + notification_columns
                        + " from (select * from notify.notifications where event_id = "
                          ":event_id::uuid offset 0) n order by n.id limit :limit::int",
             soci::use(id, "event_id"), soci::use(limit, "limit"));
        std::vector<notification_line> siblings;
        for (const auto& row : rows) {
          column_reader from{row};
          siblings.push_back(read_notification(from));
        }
        story.notifications_cut = siblings.size() > most_siblings;
        siblings.resize(std::min(siblings.size(), most_siblings));
        story.notifications = histories(std::move(siblings));
        return story;
      });
  if (found && !found->event && found->notifications.empty())
    return nothing_there();
  return found;
}

caf::expected<operation_page> pg_read_store::operations(const list_operations& x) {
  const std::string question = "operations";
  auto before = place_of(x.cursor, question);
  if (!before)
    return before.error();
  return session_.run([&] {
    long long place = *before;
    long long limit = x.limit + 1;
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << "select " + operation_columns
                                       + " from notify.operations o where o.id < :place "
                                         "order by o.id desc limit :limit::int",
         soci::use(place, "place"), soci::use(limit, "limit"));
    operation_page page;
    for (const auto& row : rows) {
      column_reader from{row};
      page.items.push_back(read_operation(from));
    }
    if (page.items.size() > x.limit) {
      page.items.pop_back();
      page.next = make_id_cursor(page.items.back().id, question);
    }
    return page;
  });
}

caf::expected<operation_line> pg_read_store::operation(int64_t id) {
  auto found = session_.run([&]() -> caf::optional<operation_line> {
    long long wanted = id;
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << "select " + operation_columns
                                       + " from notify.operations o where o.id = :id",
         soci::use(wanted, "id"));
    for (const auto& row : rows) {
      column_reader from{row};
      return read_operation(from);
    }
    return caf::none;
  });
  if (!found)
    return found.error();
  if (!*found)
    return nothing_there();
  return std::move(**found);
}

caf::expected<skipped_page> pg_read_store::skipped(const list_skipped& x) {
  auto question = question_hash{}.add("skipped").add(x.id).text();
  page_key from{0, {}};
  if (!x.cursor.empty()) {
    auto place = read_cursor(x.cursor, question);
    if (!place)
      return place.error();
    from = *place;
  }
  if (auto exists = operation(x.id); !exists)
    return exists.error();
  return session_.run([&] {
    long long id = x.id;
    long long limit = x.limit + 1;
    auto after = to_string(from.id);
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << "select job_id::text, reason from notify.operation_skips "
                                   "where operation_id = :id and job_id > :after::uuid "
                                   "order by job_id limit :limit::int",
         soci::use(id, "id"), soci::use(after, "after"), soci::use(limit, "limit"));
    skipped_page page;
    for (const auto& row : rows)
      page.items.push_back({*uuid::parse(row.get<std::string>(0)), row.get<std::string>(1)});
    if (page.items.size() > x.limit) {
      page.items.pop_back();
      page.next = make_cursor({0, page.items.back().id}, question);
    }
    return page;
  });
}

caf::expected<audit_page> pg_read_store::audit(const list_audit& x) {
  auto question = question_hash{}.add("audit").add(x.actor).add(x.action).add(x.target).text();
  auto before = place_of(x.cursor, question);
  if (!before)
    return before.error();
  return session_.run([&] {
    long long place = *before;
    long long look = audit_window;
    long long limit = x.limit + 1;
    const auto& actor = without_nul(x.actor);
    const auto& action = without_nul(x.action);
    const auto& target = without_nul(x.target);
    // A row behind the last one that was looked at tells how far this answer came.
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << R"(
with seen as materialized (
  select * from notify.audit_log where id < :place order by id desc limit :look::int)
select s.id, (extract(epoch from s.at) * 1000000)::bigint, s.actor, s.action, s.target,
  s.details::text, (select case when count(*) < :look::int then 0 else min(id) end from seen)
from seen s
where (:actor = '' or s.actor = :actor) and (:action = '' or s.action = :action)
  and (:target = '' or s.target = :target)
union all
select 0, 0, '', '', '', '', case when count(*) < :look::int then 0 else min(id) end from seen
order by 1 desc
limit :limit::int
)",
         soci::use(place, "place"), soci::use(look, "look"), soci::use(limit, "limit"),
         soci::use(actor, "actor"), soci::use(action, "action"), soci::use(target, "target"));
    audit_page page;
    int64_t reached = 0;
    for (const auto& row : rows) {
      column_reader from{row};
      audit_line line;
      line.id = from.number();
      line.at_us = from.number();
      for (auto* text : {&line.actor, &line.action, &line.target, &line.details})
        *text = from.text();
      reached = from.number();
      if (line.id > 0)
        page.items.push_back(std::move(line));
    }
    if (page.items.size() > x.limit) {
      page.items.pop_back();
      reached = page.items.back().id;
    }
    if (reached > 0)
      page.next = make_id_cursor(reached, question);
    return page;
  });
}

caf::expected<pause_list> pg_read_store::pauses() {
  return session_.run([&] {
    soci::rowset<soci::row> rows =
        (session_.sql().prepare << "select channel, " + us_of("paused_at")
                                       + ", paused_by from notify.channel_pauses order by channel");
    pause_list result;
    for (const auto& row : rows)
      result.items.push_back(
          {row.get<std::string>(0), row.get<long long>(1), row.get<std::string>(2)});
    return result;
  });
}

caf::expected<operation_preview> pg_read_store::preview(const preview_operation& x) {
  if (auto err = check_filter(x.filter))
    return err;
  if (is_empty(x.filter))
    return caf::make_error(ec::invalid_request, std::string{"the filter is empty"});
  const auto* actionable =
      x.kind == bulk_kind::retry ? "n.status = 'dead'" : "n.status in ('pending', 'retry_wait')";
  return session_.run([&] {
    notification_query query{session_.sql(), x.filter};
    auto begin = clock::now();
    operation_preview result;
    notification_query::step step;
    step.next = newest_key;
    do {
      auto missing = static_cast<uint32_t>(bounds_.preview_count - result.count);
      step = query.find(step.next, std::min(missing, bounds_.look), bounds_.look);
      auto ids = array_of(step.hits);
      long long acts = 0;
      session_.sql() << std::string{"select count(*) from notify.notifications n where n.id = any "
                                    "(:ids::uuid[]) and "}
                            + actionable,
          soci::use(ids.text(), "ids"), soci::into(acts);
      result.count += step.hits.size();
      result.actionable += static_cast<uint64_t>(acts);
    } while (!step.is_last && result.count < bounds_.preview_count
             && clock::now() - begin < bounds_.preview_patience);
    result.capped = !step.is_last;
    return result;
  });
}

} // namespace notify
