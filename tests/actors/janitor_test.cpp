#include "actors/janitor.hpp"

#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_stores.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_between = 100ms;

/// Longer than an interval with its jitter.
constexpr auto next_pass = 15s;

retention_config small_batches() {
  retention_config x;
  x.interval = 10s;
  x.batch = 100;
  x.pause = pause_between;
  return x;
}

struct janitor_fixture : test::actor_fixture {
  janitor_fixture() { settle(); }
  ~janitor_fixture() { stop(cleaner); }

  actor_status status() { return *ask<actor_status>(cleaner, get_status{}); }

  int64_t counter(const std::string& name) { return status().counters.at(name); }

  /// Where the batches of `kind` began, by the id.
  std::vector<std::string> begins(retained kind) {
    std::vector<std::string> result;
    for (const auto& x : store->calls)
      if (x.kind == kind)
        result.push_back(x.after.id);
    return result;
  }

  std::shared_ptr<test::fake_janitor_store> store = std::make_shared<test::fake_janitor_store>();
  janitor_actor cleaner = system.spawn(janitor, small_batches(), store);
};

TEST_CASE_METHOD(janitor_fixture, "Q-B25: every batch makes the backlog smaller, and a pause "
                                  "after each full one lets others work") {
  store->rows[retained::jobs] = 250;
  advance(9999ms);
  CHECK(store->calls.empty());
  advance(next_pass);
  CHECK(store->rows[retained::jobs] == 150u);
  CHECK(status().state == "cleaning");
  CHECK(counter("backlog") == 150);
  advance(pause_between - 1ms);
  CHECK(counter("backlog") == 150);
  advance(1ms);
  CHECK(counter("backlog") == 50);
  advance(pause_between);
  CHECK(counter("backlog") == 0);
  CHECK(counter("jobs") == 250);
  CHECK(counter("passes") == 1);
  CHECK(status().state == "idle");
  // One look at the rest was enough.
  CHECK(store->counts == 1u);
}

TEST_CASE_METHOD(janitor_fixture, "a pass cleans every kind, jobs before the events they hold") {
  uint64_t rows = 1;
  for (auto kind : retained_kinds)
    store->rows[kind] = rows++;
  advance(next_pass);
  std::vector<retained> order;
  for (const auto& x : store->calls)
    order.push_back(x.kind);
  CHECK(order == std::vector<retained>(retained_kinds.begin(), retained_kinds.end()));
  CHECK(counter("jobs") == 1);
  CHECK(counter("dead_jobs") == 2);
  CHECK(counter("events") == 3);
  CHECK(counter("dead_letters") == 4);
  CHECK(counter("suppressions") == 5);
}

TEST_CASE_METHOD(janitor_fixture, "an outage in the middle of a pass only delays it") {
  store->rows[retained::jobs] = 150;
  store->rows[retained::suppressions] = 7;
  CHECK(counter("last_success_s_ago") == -1);
  advance(next_pass);
  store->failure = test::outage();
  advance(pause_between);
  CHECK(status().last_error == "storage_unavailable(\"switched off\")");
  CHECK(status().state == "waiting for storage");
  CHECK(counter("errors") == 1);
  advance(next_pass);
  CHECK(counter("errors") == 2);
  CHECK(counter("backlog") == 50);
  store->failure = {};
  advance(next_pass);
  CHECK(counter("jobs") == 150);
  CHECK(counter("suppressions") == 7);
  CHECK(counter("backlog") == 0);
  CHECK(counter("passes") == 1);
  CHECK(status().last_error.empty());
  // It went on where it had stopped.
  auto jobs = begins(retained::jobs);
  REQUIRE(jobs.size() == 4);
  CHECK(jobs[0] == sweep_position{}.id);
  for (size_t i = 1; i < jobs.size(); ++i)
    CHECK(jobs[i] == "1");
  advance(3s);
  CHECK(counter("last_success_s_ago") == 3);
}

TEST_CASE_METHOD(janitor_fixture, "Q-B25: batches that take too long become smaller, then grow") {
  store->rows[retained::jobs] = 1000;
  store->failure = caf::make_error(ec::storage_conflict, std::string{"SQLSTATE 57014"});
  advance(next_pass);
  advance(next_pass);
  advance(next_pass);
  store->failure = {};
  advance(next_pass);
  std::vector<uint32_t> limits;
  for (const auto& x : store->calls)
    limits.push_back(x.limit);
  CHECK(limits == std::vector<uint32_t>{100, 25, 10, 10});
  CHECK(store->rows[retained::jobs] == 990u);
  for (auto size : {20u, 40u, 80u, 100u, 100u}) {
    advance(pause_between);
    CHECK(store->calls.back().limit == size);
  }
}

TEST_CASE_METHOD(janitor_fixture, "while another process cleans, this one looks again later") {
  store->rows[retained::jobs] = 5;
  store->is_taken = true;
  advance(next_pass);
  CHECK(store->calls.size() == 1u);
  CHECK(counter("skipped") == 1);
  CHECK(counter("passes") == 0);
  CHECK(counter("last_success_s_ago") == -1);
  store->is_taken = false;
  advance(next_pass);
  CHECK(counter("jobs") == 5);
}

TEST_CASE_METHOD(janitor_fixture, "every pass begins at the oldest row, except among events") {
  store->rows[retained::jobs] = 5;
  store->rows[retained::events] = 5;
  advance(next_pass);
  auto last = begins(retained::events).size();
  CHECK(last == 1);
  advance(next_pass);
  auto start = sweep_position{}.id;
  CHECK(begins(retained::jobs) == std::vector<std::string>{start, start});
  CHECK(begins(retained::events) == std::vector<std::string>{start, "2"});
}

TEST_CASE_METHOD(janitor_fixture, "a pass on demand has no pauses and tells what it did") {
  store->rows[retained::jobs] = 350;
  store->rows[retained::dead_letters] = 3;
  advance(9s);
  auto report = ask<janitor_report>(cleaner, clean_now{});
  REQUIRE(report);
  CHECK(report->jobs == 350u);
  CHECK(report->dead_letters == 3u);
  CHECK(report->is_complete);
  // The timer that it overtook does not start a second pass.
  auto calls = store->calls.size();
  advance(9999ms);
  CHECK(store->calls.size() == calls);
}

TEST_CASE_METHOD(janitor_fixture, "a pass on demand tells why it could not, or did not") {
  store->failure = test::outage();
  auto report = ask<janitor_report>(cleaner, clean_now{});
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_unavailable);
  store->failure = {};
  store->is_taken = true;
  auto skipped = ask<janitor_report>(cleaner, clean_now{});
  REQUIRE(skipped);
  CHECK_FALSE(skipped->is_complete);
}

TEST_CASE_METHOD(janitor_fixture, "a wish during a pass joins it") {
  store->rows[retained::jobs] = 250;
  advance(next_pass);
  auto report = ask<janitor_report>(cleaner, clean_now{});
  REQUIRE(report);
  CHECK(report->jobs == 250u);
  CHECK(counter("passes") == 1);
}

} // namespace
} // namespace notify
