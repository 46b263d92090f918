#include "messages/error.hpp"
#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "tests/persistence/samples.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace notify {
namespace {

using namespace test;

constexpr uint64_t job_count = 3000;
constexpr int worker_count = 4;

struct tally {
  std::atomic<int> errors{0}, deadlocks{0}, late{0}, abandoned{0}, misplaced{0};
  std::atomic<bool> done{false};
  std::mutex mutex;
  std::string last_error;

  void note(const caf::error& x) {
    ++(x == ec::storage_conflict ? deadlocks : errors);
    std::lock_guard guard{mutex};
    last_error = render(x);
  }
};

// A worker that dies with claimed jobs, answers late, wrongly or twice, or gives jobs back.
class careless_worker {
public:
  careless_worker(postgres_fixture& db, tally& t, unsigned seed)
      : claims_(db.config(), uuid::random()), results_(db.config()), tally_(t), random_(seed) {}

  /// One claim and what comes of it; false if there was nothing to claim.
  bool turn() {
    auto jobs = claims_.claim("email", 20, 30ms);
    if (!jobs) {
      tally_.note(jobs.error());
      return true;
    }
    if (jobs->empty())
      return false;
    pause(std::chrono::milliseconds{roll(40)});
    if (roll(100) < 10)
      return true; // It died.
    if (roll(100) < 15)
      give_back(*jobs);
    if (roll(100) < 15)
      heartbeat(*jobs);
    answer(*jobs);
    return true;
  }

private:
  int roll(int sides) { return std::uniform_int_distribution{0, sides - 1}(random_); }

  // The time that sending takes.
  static void pause(std::chrono::milliseconds time) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    never.wait_for(lock, time);
  }

  void give_back(std::vector<delivery_job>& jobs) {
    std::vector<attempt_ref> refs;
    while (jobs.size() > 5) {
      refs.push_back(ref_of(jobs.back()));
      jobs.pop_back();
    }
    if (auto count = claims_.release(refs); !count)
      tally_.note(count.error());
  }

  void heartbeat(const std::vector<delivery_job>& jobs) {
    if (auto alive = claims_.heartbeat({jobs.front().lease_id}, 30ms); !alive)
      tally_.note(alive.error());
  }

  void answer(const std::vector<delivery_job>& jobs) {
    std::vector<attempt_result> results;
    for (auto& x : jobs) {
      auto next = roll(100) < 80   ? next_step::sent
                  : roll(100) < 90 ? next_step::retry
                                   : next_step::dead;
      results.push_back(sample_result(x, next));
    }
    std::shuffle(results.begin(), results.end(), random_);
    auto applied = results_.record(results, {jobs.front().lease_id});
    if (!applied) {
      tally_.note(applied.error());
      return;
    }
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i].next == next_step::sent && !applied->at(i))
        say_late(results[i]);
    if (roll(100) < 20)
      say_twice(results, jobs.front().lease_id);
  }

  void say_late(const attempt_result& x) {
    ++tally_.late;
    if (auto changed = results_.record_late_success(x); !changed)
      tally_.note(changed.error());
  }

  void say_twice(const std::vector<attempt_result>& results, int64_t lease) {
    auto applied = results_.record(results, {lease});
    if (!applied)
      tally_.note(applied.error());
    else if (std::find(applied->begin(), applied->end(), true) != applied->end())
      ++tally_.errors;
  }

  pg_claim_store claims_;
  pg_result_store results_;
  tally& tally_;
  std::mt19937 random_;
};

void reap_until_done(postgres_fixture& db, tally& t) {
  pg_reaper_store reaper{db.config()};
  while (!t.done) {
    auto report = reaper.reap(10, 1000);
    if (!report)
      t.note(report.error());
    else
      t.abandoned += static_cast<int>(report->released + report->dead);
  }
}

bool all_finished(raw_connection& db) {
  return db.query("select 1 from notify.notification_jobs where status = 'open' limit 1").empty();
}

TEST_CASE("careless workers against a reaper lose, double and forget nothing") {
  postgres_fixture db;
  ingest(db, job_count);
  tally t;
  {
    std::jthread reaper{[&] { reap_until_done(db, t); }};
    std::jthread rival{[&] { reap_until_done(db, t); }};
    // One query, so one snapshot: what it tells must hold at every instant.
    std::jthread auditor{[&] {
      while (!t.done)
        t.misplaced += misplaced_jobs(db);
    }};
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 0; i < worker_count; ++i)
        workers.emplace_back([&, i] {
          careless_worker worker{db, t, i + 1};
          for (int turn = 0; turn < 150; ++turn)
            worker.turn();
        });
    }
    // One more clears up what the others left.
    raw_connection watch{db.url()};
    careless_worker last{db, t, 99};
    for (int turn = 0; turn < 5000 && !all_finished(watch); ++turn)
      last.turn();
    t.done = true;
  }
  INFO("late successes: " << t.late << ", abandoned: " << t.abandoned
                          << ", last error: " << t.last_error);
  CHECK(t.errors == 0);
  CHECK(t.deadlocks == 0);
  CHECK(t.misplaced == 0);
  CHECK(t.abandoned > 0);
  auto count = [&](const std::string& query) { return db.value("select count(*) from " + query); };
  CHECK(count("notify.notification_jobs where status = 'open'") == "0");
  CHECK(count("notify.notification_jobs") == std::to_string(job_count));
  CHECK(misplaced_jobs(db) == 0);
  CHECK(overtaken_jobs(db) == 0);
  CHECK(count("notify.job_queue") == "0");
  CHECK(count("(select from notify.delivery_attempts group by job_id "
              "having max(attempt_no) <> count(*) or min(attempt_no) <> 1) x")
        == "0");
  // A late success ends the job while a further attempt may be on its way.
  auto without_late_success = std::string{"not exists (select from notify.delivery_attempts a "
                                          "where a.job_id = j.id and a.late_result = 'sent')"};
  CHECK(count("notify.notification_jobs j where " + without_late_success
              + " and attempt_count <> (select count(*) from "
                "notify.delivery_attempts a where a.job_id = j.id)")
        == "0");
  CHECK(count("notify.notification_jobs j where status = 'sent' and not exists (select from "
              "notify.delivery_attempts a where a.job_id = j.id and 'sent' in (a.result, "
              "a.late_result))")
        == "0");
  CHECK(count("notify.delivery_attempts a join notify.notification_jobs j on j.id = a.job_id "
              "where a.result = 'sent' and j.status <> 'sent'")
        == "0");
  CHECK(count("notify.notification_jobs j where " + without_late_success
              + " and reclaims <> (select count(*) from "
                "notify.delivery_attempts a where a.job_id = j.id and a.budget = 'reclaim')")
        == "0");
}

} // namespace
} // namespace notify
