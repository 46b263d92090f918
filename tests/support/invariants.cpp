#include "tests/support/invariants.hpp"

#include "tests/persistence/samples.hpp"

#include <set>

namespace notify::test {

namespace {

/// Adds a line if the query finds anything; its first column says what.
void expect_none(std::vector<std::string>& out, postgres_fixture& db, const std::string& what,
                 const std::string& sql) {
  auto rows = db.query(sql);
  if (!rows.empty())
    out.push_back(what + ": " + std::to_string(rows.size()) + ", e.g. " + rows.front().front());
}

void expect_zero(std::vector<std::string>& out, const std::string& what, int count) {
  if (count != 0)
    out.push_back(what + ": " + std::to_string(count));
}

void check_jobs_of_events(std::vector<std::string>& out, postgres_fixture& db,
                          const std::vector<expected_route>& routes) {
  expect_none(out, db, "jobs without their event",
              "select id from notify.notification_jobs j where not exists"
              " (select from notify.inbox_events e where e.event_id = j.event_id)");
  std::set<std::string> types;
  for (const auto& [type, channel] : routes) {
    types.insert('\'' + type + '\'');
    expect_none(out, db, "events of " + type + " without exactly one job for " + channel,
                "select event_id from notify.inbox_events e where type = '" + type
                    + "' and (select count(*) from notify.notification_jobs j"
                      " where j.event_id = e.event_id and j.channel = '"
                    + channel + "') <> 1");
  }
  std::string list;
  for (const auto& type : types)
    list += (list.empty() ? "" : ", ") + type;
  expect_none(out, db, "events of a type that nobody expected",
              "select event_id from notify.inbox_events where type not in (" + list + ")");
  auto jobs = std::stoull(db.value("select count(*) from notify.notification_jobs"));
  size_t wanted = 0;
  for (const auto& route : routes)
    wanted += std::stoull(db.value("select count(*) from notify.inbox_events where type = '"
                                   + route.event_type + "'"));
  if (jobs != wanted)
    out.push_back(std::to_string(jobs) + " jobs for " + std::to_string(wanted) + " routes");
}

void check_attempts(std::vector<std::string>& out, postgres_fixture& db) {
  expect_none(out, db, "attempts without their job",
              "select job_id from notify.delivery_attempts a where not exists"
              " (select from notify.notification_jobs j where j.id = a.job_id)");
  expect_none(out, db, "jobs with a gap in their attempts",
              "select job_id from notify.delivery_attempts group by 1"
              " having min(attempt_no) <> 1 or max(attempt_no) <> count(*)");
  expect_none(out, db, "jobs that were sent twice by their attempts",
              "select job_id from notify.delivery_attempts group by 1"
              " having count(*) filter (where result = 'sent') > 1");
  expect_none(out, db, "sent jobs without an attempt that was",
              "select id from notify.notification_jobs j where status = 'sent' and not exists"
              " (select from notify.delivery_attempts a where a.job_id = j.id"
              " and (a.result = 'sent' or a.late_result = 'sent'))");
  expect_none(out, db, "open jobs with an attempt that was sent",
              "select id from notify.notification_jobs j where status = 'open' and exists"
              " (select from notify.delivery_attempts a where a.job_id = j.id"
              " and (a.result = 'sent' or a.late_result = 'sent'))");
  // A job that ended otherwise meanwhile is not charged for what came of a late attempt.
  expect_none(out, db, "jobs whose budgets are not what their attempts say",
              "select j.id from notify.notification_jobs j,"
              " lateral (select count(*) filter (where budget = 'failure') as failures,"
              "   count(*) filter (where budget = 'reclaim') as reclaims,"
              "   bool_or(late_result is not null) as late"
              "   from notify.delivery_attempts a where a.job_id = j.id) a"
              " where (j.failures, j.reclaims) <> (a.failures, a.reclaims)"
              "   and a.late is not true");
}

// As long as nothing was deleted, every total is a count.
void check_books(std::vector<std::string>& out, postgres_fixture& db) {
  expect_none(out, db, "totals of jobs that are not what is there",
              "select coalesce(t.channel, j.channel) from (select channel,"
              " sum(created) as created, sum(tried) as tried, sum(sent) as sent,"
              " sum(dead - redriven) as dead, sum(cancelled) as cancelled"
              " from notify.job_totals group by channel) t"
              " full join (select channel, count(*) as created,"
              " count(*) filter (where attempt_count > 0) as tried,"
              " count(*) filter (where status = 'sent') as sent,"
              " count(*) filter (where status = 'dead') as dead,"
              " count(*) filter (where status = 'cancelled') as cancelled"
              " from notify.notification_jobs group by channel) j on j.channel = t.channel"
              " where (t.created, t.tried, t.sent, t.dead, t.cancelled)"
              " is distinct from (j.created, j.tried, j.sent, j.dead, j.cancelled)");
  expect_none(out, db, "records that are neither stored, nor duplicates, nor dead letters",
              "select told from (select sum(stored + duplicates + dead_lettered) as told"
              " from notify.inbox_totals) t, (select coalesce(sum(total_records), 0) as read"
              " from notify.partition_ledger) l where told <> read");
}

} // namespace

std::vector<std::string> broken_invariants(postgres_fixture& db,
                                           const std::vector<expected_route>& routes) {
  std::vector<std::string> out;
  check_jobs_of_events(out, db, routes);
  check_attempts(out, db);
  check_books(out, db);
  expect_zero(out, "jobs not in exactly one place", misplaced_jobs(db));
  expect_none(out, db, "statuses do not add up",
              "select counted.all_of_them from (select count(*) as all_of_them,"
              " count(*) filter (where status in ('pending', 'processing', 'retry_wait')) as open,"
              " count(*) filter (where status in ('sent', 'dead', 'cancelled')) as done"
              " from notify.notifications) counted"
              " where all_of_them <> open + done"
              " or all_of_them <> (select count(*) from notify.notification_jobs)");
  return out;
}

std::vector<std::string> unfinished_work(postgres_fixture& db) {
  std::vector<std::string> out;
  expect_none(out, db, "jobs that are not sent",
              "select id || ' ' || status || coalesce(' ' || dead_reason, '')"
              " from notify.notifications where status <> 'sent'");
  expect_none(out, db, "queue rows", "select job_id from notify.job_queue");
  expect_none(out, db, "leases", "select id from notify.leases");
  expect_zero(out, "terminal jobs in flight", overtaken_jobs(db));
  return out;
}

std::vector<std::string> broken_deliveries(postgres_fixture& db, const acceptances& accepted,
                                           const acceptances& spare) {
  std::vector<std::string> out;
  std::set<std::string> known;
  for (const auto& row : db.query("select id, status from notify.notification_jobs")) {
    known.insert(row[0]);
    if (row[1] == "sent" && !accepted.contains(row[0]))
      out.push_back("sent, but the provider never had it: " + row[0]);
  }
  for (const auto& [job, count] : accepted) {
    if (!known.contains(job)) {
      out.push_back("the provider has what is no job's: " + job);
      continue;
    }
    auto found = spare.find(job);
    auto allowed = 1 + (found != spare.end() ? found->second : 0);
    if (count > allowed)
      out.push_back("accepted " + std::to_string(count) + " times, " + std::to_string(allowed)
                    + " explained: " + job);
  }
  return out;
}

} // namespace notify::test
