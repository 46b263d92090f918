#include "persistence/migrator.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_operator_store.hpp"
#include "persistence/pg_stats_store.hpp"
#include "tests/persistence/janitor_fixture.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <thread>

namespace notify {
namespace {

using namespace test;

using status_counts = std::map<std::string, int64_t>;

struct totals_fixture : janitor_fixture {
  /// What the totals say, without the statuses that are empty.
  status_counts told(const std::string& channel = "email") {
    auto counts = stats.count();
    if (!counts)
      FAIL(render(counts.error()));
    auto result = count_by_status((*counts)[channel]);
    std::erase_if(result, [](const auto& x) { return x.second == 0; });
    return result;
  }

  /// What is there.
  status_counts found(const std::string& channel = "email") {
    status_counts result;
    for (const auto& row : db.query("select status, count(*) from notify.notifications where "
                                    "channel = '"
                                    + channel + "' group by 1"))
      result[row[0]] = std::stoll(row[1]);
    return result;
  }

  figure_map books() {
    auto x = stats.books();
    if (!x)
      FAIL(render(x.error()));
    return *x;
  }

  void check_books() {
    CHECK(told() == found());
    CHECK(books() == figure_map{{"books_difference.events", 0}, {"books_difference.jobs", 0}});
  }

  /// Jobs that come to every end there is, by way of these statements.
  void mixed_run(const delivery_statements& statements) {
    pg_result_store writer{db.config(), 720h, statements};
    pg_reaper_store ender{db.config(), statements};
    auto write = [&](const std::vector<delivery_job>& jobs, size_t first, size_t last,
                     next_step next) {
      std::vector<attempt_result> some;
      for (auto i = first; i < last; ++i)
        some.push_back(sample_result(jobs[i], next));
      REQUIRE(writer.record(some, {}));
    };
    ingest(db, 40);
    ingest(db, 40); // All of them again.
    auto jobs = claim(24);
    write(jobs, 0, 8, next_step::sent);
    write(jobs, 8, 12, next_step::dead);
    write(jobs, 12, 16, next_step::retry);
    write(jobs, 12, 16, next_step::retry); // Said twice.
    REQUIRE(claims.release({ref_of(jobs[16]), ref_of(jobs[17])}));
    // Six are lost with their worker, one of which was sent all the same.
    expire();
    REQUIRE(ender.reap(10, 5));
    REQUIRE(writer.record_late_success(sample_result(jobs[20], next_step::sent)));
    REQUIRE(writer.record_late_success(sample_result(jobs[20], next_step::sent)));
    for (size_t i : {8u, 9u})
      REQUIRE(people.retry({jobs[i].job_id, false, "ada"}));
    for (uint64_t i = 1; i <= 40; ++i)
      if (status_of(db, sample_job(sample_event(i)).id) == "pending" && i % 2 == 0)
        REQUIRE(people.cancel(cancel_notification{sample_job(sample_event(i)).id, "ada"}));
    REQUIRE(people.cancel(cancel_notification{jobs[12].job_id, "ada"}));
    make_due();
    write(claim(3), 0, 1, next_step::dead);
    expire();
    REQUIRE(ender.reap(10, 0)); // These two had their last chance.
    claim(2);
  }

  pg_operator_store people{db.config()};
  pg_stats_store stats{db.config(), 5s};
};

TEST_CASE_METHOD(totals_fixture, "the books balance after all that can happen to a job") {
  check_books();
  mixed_run({});
  auto now = found();
  for (const auto* status : {"pending", "processing", "retry_wait", "sent", "dead", "cancelled"}) {
    INFO(status);
    CHECK(now[status] > 0);
  }
  check_books();
  retention_times short_times;
  short_times.jobs = short_times.dead_jobs = 1us;
  pg_janitor_store hasty{db.config(), short_times};
  CHECK(clean_all(hasty) > 0);
  CHECK(found().count("sent") == 0);
  check_books();
}

TEST_CASE_METHOD(totals_fixture, "a statement that counts wrongly shows in the books") {
  struct mistake {
    std::string delivery_statements::*statement;
    const char* from;
    const char* to;
  };
  const mistake mistakes[] = {
      {&delivery_statements::record_attempts, "sent = t.sent + excluded.sent", "sent = t.sent"},
      {&delivery_statements::record_attempts, "dead = t.dead + excluded.dead",
       "dead = excluded.dead"},
      {&delivery_statements::reap_leases, "from job group by channel",
       "from job where status = 'open' group by channel"},
      {&delivery_statements::mark_late_success, "sent = t.sent + excluded.sent", "sent = t.sent"},
  };
  for (const auto& x : mistakes) {
    db.query("truncate notify.inbox_events, notify.notification_jobs, notify.job_queue, "
             "notify.leases, notify.delivery_attempts, notify.suppressions, notify.job_totals");
    // So that each mistake meets a row that is there.
    db.query("insert into notify.job_totals (shard, channel) select g, 'email' "
             "from generate_series(0, 15) g");
    delivery_statements wrong;
    auto& text = wrong.*x.statement;
    auto at = text.find(x.from);
    INFO(x.from);
    REQUIRE(at != std::string::npos);
    text.replace(at, std::string{x.from}.size(), x.to);
    mixed_run(wrong);
    CHECK(books().at("books_difference.jobs") != 0);
  }
}

TEST_CASE_METHOD(totals_fixture, "every record is stored, a duplicate, or a dead letter") {
  pg_ingest_store store{db.config()};
  auto records = [this] {
    return db
        .query("select sum(stored), sum(duplicates), sum(dead_lettered) "
               "from notify.inbox_totals")
        .at(0);
  };
  auto batch = sample_batch(3);
  batch.repeated = 2;
  dead_letter bad;
  bad.record.topic = "t";
  bad.reason = "not_json";
  batch.dead_letters = {bad};
  batch.moves = {{"t", 0, 0, 6, 6}};
  REQUIRE(store.store(batch));
  CHECK(records() == strings{"3", "2", "1"});
  CHECK(books().at("books_difference.events") == 0);
  // The offset was not committed: Kafka delivers all of it again.
  REQUIRE(store.store(batch));
  CHECK(records() == strings{"3", "7", "2"});
  CHECK(books().at("books_difference.events") == 0);
  // A replay moves no offset.
  batch = {};
  batch.events = {sample_event(9)};
  REQUIRE(store.store(batch));
  CHECK(books().at("books_difference.events") == 0);
  // A record that became nothing.
  batch = {};
  batch.moves = {{"t", 0, 6, 7, 1}};
  REQUIRE(store.store(batch));
  CHECK(books().at("books_difference.events") == 1);
}

TEST_CASE("the books of a database of the version before begin with what is there") {
  postgres_fixture db{postgres_fixture::schema::empty};
  REQUIRE(migrate(db.config(), embedded_migrations().first(7)));
  db.query("insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, "
           "template_key, locale, status, dead_reason, finished_at, attempt_count) "
           "select gen_random_uuid(), gen_random_uuid(), 't', 'email', 'r', 'k', 'en', s, "
           "case s when 'dead' then 'x' end, case when s <> 'open' then now() end, a "
           "from (values ('open', 0), ('open', 2), ('sent', 1), ('dead', 3), ('cancelled', 0), "
           "('cancelled', 1)) as v(s, a)");
  db.query("insert into notify.job_queue (job_id, due_at, attempt_no, channel) "
           "select id, now(), attempt_count + 1, channel from notify.notification_jobs "
           "where status = 'open'");
  db.query("insert into notify.partition_ledger (topic, partition, first_offset, next_offset, "
           "batch_records, total_records, instance) values ('t', 0, 0, 9, 9, 9, 'i')");
  REQUIRE(migrate(db.config()));
  pg_stats_store stats{db.config(), 5s};
  auto books = stats.books();
  REQUIRE(books);
  CHECK(*books == figure_map{{"books_difference.events", 0}, {"books_difference.jobs", 0}});
  auto counts = stats.count();
  REQUIRE(counts);
  CHECK(count_by_status(counts->at("email"))
        == status_counts{{"pending", 1},
                         {"processing", 0},
                         {"retry_wait", 1},
                         {"sent", 1},
                         {"dead", 1},
                         {"cancelled", 2}});
}

TEST_CASE_METHOD(totals_fixture, "a session counts in one row of the totals for each channel") {
  ingest(db, 60);
  for (int i = 0; i < 10; ++i) {
    auto jobs = claim(5);
    std::vector<attempt_result> some;
    for (const auto& job : jobs)
      some.push_back(sample_result(job, next_step::sent));
    record(some, {jobs.front().lease_id});
  }
  // One row of the session that ingested, one of the session that recorded.
  CHECK(std::stoi(count("notify.job_totals")) <= 2);
}

TEST_CASE_METHOD(totals_fixture, "figures: the oldest due job, snapshots, tables, the clock") {
  ingest(db, 3);
  db.query("update notify.job_queue set due_at = now() - interval '1 hour'");
  auto counts = stats.count();
  REQUIRE(counts);
  CHECK(counts->at("email").oldest_due_s == Approx(3600).margin(60));
  raw_connection holder{db.url()};
  holder.query("set application_name = 'report'; begin isolation level repeatable read; "
               "select count(*) from notify.job_queue");
  auto health = stats.health();
  REQUIRE(health);
  CHECK_FALSE(health->read_only);
  auto& figures = health->figures;
  CHECK(figures.contains("oldest_snapshot_s.by.report"));
  CHECK(std::abs(figures.at("clock_skew_s")) < 5);
  CHECK(figures.at("notify_queue_usage") < 0.5);
  CHECK(figures.at("table_bytes.job_queue") > 0);
  CHECK(figures.contains("dead_tuples.job_queue"));
  CHECK(figures.at("dead_letters_unpublished") == 0);
}

TEST_CASE_METHOD(totals_fixture, "D-G2: a count that takes too long is an error, not a zero") {
  ingest(db, 3);
  pg_stats_store hasty{db.config(), 1ms};
  raw_connection blocker{db.url()};
  blocker.query("begin; lock table notify.job_totals in access exclusive mode");
  auto counts = hasty.count();
  REQUIRE_FALSE(counts);
  CHECK(counts.error() == ec::storage_conflict);
  auto difference = hasty.books();
  CHECK_FALSE(difference);
  blocker.query("rollback");
  auto again = stats.count();
  REQUIRE(again);
  CHECK(again->at("email").created == 3);
}

TEST_CASE_METHOD(totals_fixture, "D-G13: a delayed job fires once, in two processes, when the "
                                 "clock jumps") {
  pg_ingest_store store{db.config()};
  auto batch = sample_batch(50);
  for (auto& job : batch.jobs)
    job.not_before_us = 4102444800000000; // 2100.
  REQUIRE(store.store(batch));
  CHECK(claims.claim("email", 10, 60s)->empty());
  // For the queue, a clock that jumps ahead and times that jump back are the same.
  make_due();
  pg_claim_store other{db.config(), uuid::random()};
  std::vector<delivery_job> mine, theirs;
  std::thread second{[&] {
    for (int i = 0; i < 20; ++i)
      if (auto jobs = other.claim("email", 7, 60s))
        theirs.insert(theirs.end(), jobs->begin(), jobs->end());
  }};
  for (int i = 0; i < 20; ++i)
    if (auto jobs = claims.claim("email", 7, 60s))
      mine.insert(mine.end(), jobs->begin(), jobs->end());
  second.join();
  std::set<uuid> distinct;
  for (const auto* list : {&mine, &theirs})
    for (const auto& job : *list)
      distinct.insert(job.job_id);
  CHECK(mine.size() + theirs.size() == 50);
  CHECK(distinct.size() == 50);
  // The clock goes back: what is in flight or was put off again does not fire a second time.
  auto x = sample_result(mine.empty() ? theirs.front() : mine.front(), next_step::retry);
  x.delay = 1h;
  record({x});
  CHECK(claims.claim("email", 10, 60s)->empty());
  CHECK(misplaced_jobs(db) == 0);
}

} // namespace
} // namespace notify
