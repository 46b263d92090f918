#include "tests/operators/populated_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <map>
#include <thread>

namespace notify::test {
namespace {

/// What an operation acted on or passed over, newest first.
std::vector<std::string> touched(populated_fixture& x) {
  return x.expected("n.id in (select job_id from notify.operation_skips) or n.redrives > 0");
}

start_operation retry_of(const notification_filter& filter) {
  return {bulk_kind::retry, filter, false, "ada"};
}

notification_filter all_dead() {
  notification_filter x;
  x.status = "dead";
  return x;
}

TEST_CASE("D-G8: an operation finds exactly what the list shows, for each filter") {
  for (const auto& x : sample_filters()) {
    INFO(x.name);
    populated_fixture fixture{300};
    auto shown = fixture.listed(fixture.reads, x.filter, 50);
    auto preview = required(fixture.reads.preview({bulk_kind::retry, x.filter}));
    auto dead = fixture.expected("n.status = 'dead' and (" + x.condition + ")").size();
    CHECK(preview.count == shown.size());
    CHECK(preview.actionable == dead);
    CHECK_FALSE(preview.capped);
    auto id = required(fixture.acts.start(retry_of(x.filter))).id;
    fixture.work_off({7, 31});
    CHECK(touched(fixture) == shown);
    auto done = required(fixture.reads.operation(id));
    CHECK(done.status == "done");
    CHECK(done.matched == shown.size());
    CHECK(done.done == dead);
    CHECK(misplaced_jobs(fixture.db) == 0);
  }
}

TEST_CASE_METHOD(populated_fixture, "D-G8: an empty filter is refused, preview and all") {
  auto refused = [](const auto& x) { return !x && x.error() == ec::invalid_request; };
  CHECK(refused(acts.start(retry_of({}))));
  CHECK(refused(reads.preview({bulk_kind::cancel, {}})));
  CHECK(count("notify.operations") == "0");
  CHECK(count("notify.audit_log") == "0");
}

TEST_CASE_METHOD(populated_fixture, "an operation is on record with who asked for what") {
  auto filter = all_dead();
  filter.channel = "email";
  filter.created_from_us = 1'767'225'600'000'001;
  auto started = required(acts.start({bulk_kind::retry, filter, true, "ada"}));
  CHECK(started.status == "running");
  CHECK(started.filter.channel == "email");
  CHECK(started.filter.created_from_us == filter.created_from_us);
  CHECK(started.fresh_key);
  CHECK(db.query("select actor, action, target, details->'filter'->>'created_from', "
                 "details->>'key' from notify.audit_log")
            .at(0)
        == strings{"ada", "notification.retry", "operation " + std::to_string(started.id),
                   "2026-01-01T00:00:00.000001Z", "fresh"});
  work_off();
  CHECK(db.query("select actor, action from notify.audit_log order by id desc limit 1").at(0)
        == strings{"ada", "operation.done"});
  CHECK(count("notify.notification_jobs where key_no = 1")
        == count("notify.notification_jobs where redrives = 1"));
}

TEST_CASE_METHOD(populated_fixture, "Q-B36: a retry of many, half of them under way, does one half "
                                    "and tells why not the other") {
  notification_filter hers;
  hers.recipient = "user3@example.com";
  auto by_status = [&](const char* status) {
    return expected(std::string{"n.recipient = 'user3@example.com' and n.status = '"} + status
                    + "'")
        .size();
  };
  std::map<std::string, uint64_t> reasons;
  for (const auto* status : {"pending", "processing", "retry_wait", "sent", "cancelled"})
    reasons[status] = by_status(status);
  auto dead = by_status("dead");
  REQUIRE(dead > 0);
  auto id = required(acts.start(retry_of(hers))).id;
  work_off({5, 50});
  auto done = required(reads.operation(id));
  CHECK(done.done == dead);
  CHECK(done.skipped == reasons);
  auto skipped = required(reads.skipped({id, 200, ""}));
  CHECK(skipped.items.size() == done.matched - done.done);
  // In pages, it is the same.
  auto first = required(reads.skipped({id, 3, ""}));
  REQUIRE(first.items.size() == 3);
  auto second = required(reads.skipped({id, 3, first.next}));
  CHECK(second.items.at(0).id == skipped.items.at(3).id);
}

TEST_CASE_METHOD(populated_fixture, "waiting notifications are cancelled by the many, others not") {
  notification_filter email;
  email.channel = "email";
  auto waiting = count("notify.notifications where channel = 'email' and status in ('pending', "
                       "'retry_wait')");
  required(acts.start({bulk_kind::cancel, email, false, "ada"}));
  work_off({11, 100});
  CHECK(count("notify.notifications where channel = 'email' and status in ('pending', "
              "'retry_wait')")
        == "0");
  CHECK(required(reads.operations({1, ""})).items.at(0).done == std::stoull(waiting));
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(populated_fixture, "what comes after an operation is none of its business") {
  auto id = required(acts.start(retry_of(all_dead()))).id;
  auto before = expected("n.status = 'dead'").size();
  db.query("insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, "
           "template_key, locale, status, dead_reason, finished_at) select gen_random_uuid(), "
           "gen_random_uuid(), 't', 'email', 'r', 'k', 'en', 'dead', 'x', now() "
           "from generate_series(1, 20)");
  work_off({10, 100});
  CHECK(required(reads.operation(id)).done == before);
  CHECK(expected("n.status = 'dead'").size() == 20);
}

TEST_CASE_METHOD(populated_fixture, "an operation that is cancelled does no more, once") {
  auto id = required(acts.start(retry_of(all_dead()))).id;
  REQUIRE(required(operations.work({10, 1000})).done == 10);
  auto ended = required(acts.cancel(cancel_operation{id, "bob"}));
  CHECK(ended.status == "cancelled");
  CHECK(ended.done == 10);
  CHECK(work_off() == 0);
  CHECK(count("notify.notification_jobs where redrives > 0") == "10");
  auto again = acts.cancel(cancel_operation{id, "bob"});
  REQUIRE_FALSE(again);
  CHECK(again.error() == ec::wrong_state);
  auto unknown = acts.cancel(cancel_operation{id + 1, "bob"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error() == ec::not_found);
  CHECK(count("notify.audit_log where action = 'operation.cancel'") == "1");
}

TEST_CASE_METHOD(populated_fixture, "operations are listed newest first, in pages") {
  std::vector<int64_t> ids;
  for (int i = 0; i < 5; ++i)
    ids.insert(ids.begin(), required(acts.start(retry_of(all_dead()))).id);
  std::vector<int64_t> seen;
  list_operations question{2, ""};
  do {
    auto page = required(reads.operations(question));
    for (const auto& x : page.items)
      seen.push_back(x.id);
    question.cursor = page.next;
  } while (!question.cursor.empty());
  CHECK(seen == ids);
}

TEST_CASE_METHOD(populated_fixture, "one who looks for work passes over what another works on") {
  required(acts.start(retry_of(all_dead())));
  raw_connection holder{db.url()};
  holder.query("begin; select 1 from notify.operations for update");
  CHECK(required(operations.work({})).id == 0);
  holder.query("rollback");
  CHECK(required(operations.work({})).id != 0);
}

TEST_CASE_METHOD(populated_fixture, "names of what was passed over are kept up to a bound, counts "
                                    "are of all") {
  notification_filter email;
  email.channel = "email";
  auto id = required(acts.start(retry_of(email))).id;
  db.query("update notify.operations set skips_kept = "
           + std::to_string(pg_operation_store::kept_skips - 3));
  work_off({50, 500});
  auto done = required(reads.operation(id));
  uint64_t sum = 0;
  for (const auto& [reason, number] : done.skipped)
    sum += number;
  CHECK(done.matched == done.done + sum);
  CHECK(sum > 3);
  CHECK(count("notify.operation_skips") == "3");
}

TEST_CASE_METHOD(populated_fixture, "several runners share several operations without deadlocks") {
  notification_filter email, hers;
  email.channel = "email";
  hers.recipient = "user3@example.com";
  auto dead = expected("n.status = 'dead'").size();
  std::vector<int64_t> ids;
  for (const auto& filter : {all_dead(), email, hers})
    ids.push_back(required(acts.start(retry_of(filter))).id);
  std::vector<std::thread> runners;
  std::atomic<int> conflicts = 0;
  for (int i = 0; i < 4; ++i)
    runners.emplace_back([&] {
      pg_operation_store own{db.config()};
      for (;;) {
        auto step = own.work({3, 40});
        if (!step)
          ++conflicts;
        else if (step->id == 0)
          break;
      }
    });
  for (auto& x : runners)
    x.join();
  work_off();
  CHECK(conflicts == 0);
  uint64_t done = 0;
  for (auto id : ids)
    done += required(reads.operation(id)).done;
  CHECK(done == dead);
  CHECK(count("notify.notification_jobs where redrives > 1") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

} // namespace
} // namespace notify::test
