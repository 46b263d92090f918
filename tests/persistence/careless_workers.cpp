#include "tests/persistence/careless_workers.hpp"

#include "messages/error.hpp"
#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_reaper_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "tests/persistence/samples.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace notify::test {

namespace {

constexpr auto lease = 30ms;

struct tally {
  std::atomic<int> errors{0}, deadlocks{0}, applied_twice{0}, misplaced{0}, late{0}, abandoned{0};
  std::atomic<bool> done{false};
  std::mutex mutex;
  std::string last_error;

  void note(const caf::error& x) {
    ++(x == ec::storage_conflict ? deadlocks : errors);
    std::lock_guard guard{mutex};
    last_error = render(x);
  }

  bool found_something() const { return errors + deadlocks + applied_twice + misplaced > 0; }
};

// The time that something takes.
void pause(std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock{mutex};
  never.wait_for(lock, time);
}

class careless_worker {
public:
  careless_worker(postgres_fixture& db, const delivery_statements& statements, tally& t,
                  unsigned seed)
      : claims_(db.config(), uuid::random(), statements),
        results_(db.config(), std::chrono::hours{1}, statements), tally_(t), random_(seed) {}

  /// One claim and what comes of it.
  void turn() {
    auto jobs = claims_.claim("email", 20, lease);
    if (!jobs) {
      tally_.note(jobs.error());
      return;
    }
    if (jobs->empty())
      return;
    pause(std::chrono::milliseconds{roll(40)});
    if (roll(100) < 10)
      return; // It died.
    if (roll(100) < 15)
      give_back_most(*jobs);
    if (roll(100) < 15)
      heartbeat(*jobs);
    if (roll(100) < 25)
      answer_in_part(*jobs);
    else
      answer(*jobs);
  }

private:
  int roll(int sides) { return std::uniform_int_distribution{0, sides - 1}(random_); }

  void give_back_most(std::vector<delivery_job>& jobs) {
    std::vector<delivery_job> rest{
        jobs.begin() + static_cast<long>(std::min<size_t>(jobs.size(), 5)), jobs.end()};
    jobs.resize(jobs.size() - rest.size());
    give_back(rest);
  }

  void give_back(const std::vector<delivery_job>& jobs) {
    std::vector<attempt_ref> refs;
    for (auto& x : jobs)
      refs.push_back(ref_of(x));
    if (auto count = claims_.release(refs); !count)
      tally_.note(count.error());
  }

  void heartbeat(const std::vector<delivery_job>& jobs) {
    if (auto alive = claims_.heartbeat({jobs.front().lease_id}, lease); !alive)
      tally_.note(alive.error());
  }

  // Half of the results are recorded; then it dies, or gives back even what is recorded.
  void answer_in_part(const std::vector<delivery_job>& jobs) {
    auto results = make_results({jobs.begin(), jobs.begin() + static_cast<long>(jobs.size() / 2)});
    record(results, {});
    if (roll(2) == 0)
      give_back(jobs);
  }

  void answer(const std::vector<delivery_job>& jobs) {
    auto results = make_results(jobs);
    record(results, {jobs.front().lease_id});
    if (roll(100) < 20)
      say_twice(results, jobs.front().lease_id);
  }

  std::vector<attempt_result> make_results(const std::vector<delivery_job>& jobs) {
    std::vector<attempt_result> results;
    for (auto& x : jobs) {
      auto next = roll(100) < 80   ? next_step::sent
                  : roll(100) < 90 ? next_step::retry
                                   : next_step::dead;
      results.push_back(sample_result(x, next));
      if (next == next_step::retry && roll(100) < 30)
        results.back().result = "unknown_outcome";
    }
    std::shuffle(results.begin(), results.end(), random_);
    return results;
  }

  void record(const std::vector<attempt_result>& results, const std::vector<int64_t>& done) {
    auto applied = results_.record(results, done);
    if (!applied) {
      tally_.note(applied.error());
      return;
    }
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i].next == next_step::sent && !applied->at(i))
        say_late(results[i]);
  }

  void say_late(const attempt_result& x) {
    ++tally_.late;
    if (auto changed = results_.record_late_success(x); !changed)
      tally_.note(changed.error());
  }

  void say_twice(const std::vector<attempt_result>& results, int64_t lease_id) {
    auto applied = results_.record(results, {lease_id});
    if (!applied)
      tally_.note(applied.error());
    else
      tally_.applied_twice += static_cast<int>(std::count(applied->begin(), applied->end(), true));
  }

  pg_claim_store claims_;
  pg_result_store results_;
  tally& tally_;
  std::mt19937 random_;
};

// Takes one lease at a time and looks seldom, so that some always remain for the other one.
void reap_until_done(postgres_fixture& db, const delivery_statements& statements, tally& t) {
  pg_reaper_store reaper{db.config(), statements};
  for (; !t.done; pause(10ms)) {
    auto report = reaper.reap(1, 1000);
    if (!report)
      t.note(report.error());
    else
      t.abandoned += static_cast<int>(report->released + count_dead(*report));
  }
}

// One query, so one snapshot: what it tells must hold at every instant.
void audit_until_done(const std::string& url, tally& t) {
  raw_connection db{url};
  while (!t.done)
    t.misplaced += misplaced_jobs(db);
}

// Nothing will happen any more: all jobs ended, or the open ones are nowhere.
bool is_settled(raw_connection& db) {
  return db.query("select 1 from notify.notification_jobs where status = 'open' limit 1").empty()
         || db.query("select 1 from notify.job_queue union all select 1 from notify.leases limit 1")
                .empty();
}

void work(postgres_fixture& db, const delivery_statements& statements, const careless_load& load,
          tally& t) {
  std::vector<std::jthread> workers;
  for (int i = 0; i < load.workers; ++i)
    workers.emplace_back([&, i] {
      careless_worker worker{db, statements, t, load.seed + static_cast<unsigned>(i)};
      for (int turn = 0; turn < load.turns && !t.found_something(); ++turn)
        worker.turn();
    });
}

void clear_up(postgres_fixture& db, const delivery_statements& statements, tally& t) {
  raw_connection watch{db.url()};
  careless_worker last{db, statements, t, 0};
  for (int turn = 0; turn < 20000 && !t.found_something() && !is_settled(watch); ++turn)
    last.turn();
}

// A late success ends a job while a further attempt may be on its way, which is not counted then.
constexpr auto without_late_success =
    "notify.notification_jobs j where not exists (select from notify.delivery_attempts a "
    "where a.job_id = j.id and a.late_result = 'sent') and ";

using checks = std::vector<std::pair<std::string, std::string>>;

// Each counts what must not be there once everything is settled.
const checks& completeness_checks() {
  static const checks all = {
      {"open jobs left", "notify.notification_jobs where status = 'open'"},
      {"jobs that are still in flight", "notify.leases l, unnest(l.job_ids, l.attempt_nos) "
                                        "as u(job_id, attempt_no) where not exists (select from "
                                        "notify.delivery_attempts a where a.job_id = u.job_id "
                                        "and a.attempt_no = u.attempt_no)"},
  };
  return all;
}

// Each counts what must never be there.
const checks& consistency_checks() {
  static const std::string counted = without_late_success;
  static const std::string of_job = "(select count(*) from notify.delivery_attempts a "
                                    "where a.job_id = j.id";
  static const checks all = {
      {"queue rows of finished jobs",
       "notify.job_queue q join notify.notification_jobs j on j.id = q.job_id "
       "where j.status <> 'open'"},
      {"queue rows of no job", "notify.job_queue q where not exists (select from "
                               "notify.notification_jobs j where j.id = q.job_id)"},
      {"gaps in attempt numbers", "(select from notify.delivery_attempts group by job_id "
                                  "having max(attempt_no) <> count(*) or min(attempt_no) <> 1) x"},
      {"sent jobs without a sent attempt",
       "notify.notification_jobs j where status = 'sent' and not exists (select from "
       "notify.delivery_attempts a where a.job_id = j.id and 'sent' in (a.result, a.late_result))"},
      {"successes thrown away",
       "notify.delivery_attempts a join notify.notification_jobs j on j.id = a.job_id "
       "where a.result = 'sent' and j.status <> 'sent'"},
      {"jobs sent twice", "(select from notify.delivery_attempts where result = 'sent' "
                          "group by job_id having count(*) > 1) x"},
      {"miscounted attempts", counted + "attempt_count <> " + of_job + ")"},
      {"miscounted reclaims", counted + "reclaims <> " + of_job + " and a.budget = 'reclaim')"},
      {"miscounted failures", counted + "failures <> " + of_job + " and a.budget = 'failure')"},
      {"miscounted unknown outcomes",
       counted + "unknowns <> " + of_job + " and a.result in ('unknown_outcome', 'abandoned'))"},
  };
  return all;
}

careless_report report_on(postgres_fixture& db, const careless_load& load, tally& t) {
  careless_report result;
  auto add = [&](const std::string& name, int found) {
    if (found != 0)
      result.violations[name] = found;
  };
  add("errors", t.errors);
  add("deadlocks", t.deadlocks);
  add("results applied twice", t.applied_twice);
  add("jobs in no place or in two", t.misplaced);
  for (const auto& [name, query] : consistency_checks())
    add(name, std::stoi(db.value("select count(*) from " + query)));
  // A run that ended early left work behind by itself.
  if (!t.found_something())
    for (const auto& [name, query] : completeness_checks())
      add(name, std::stoi(db.value("select count(*) from " + query)));
  auto jobs = std::stoll(db.value("select count(*) from notify.notification_jobs"));
  add("jobs lost", static_cast<int>(static_cast<int64_t>(load.jobs) - jobs));
  result.last_error = t.last_error;
  result.late = t.late;
  result.abandoned = t.abandoned;
  return result;
}

} // namespace

std::ostream& operator<<(std::ostream& out, const careless_report& x) {
  out << x.late << " late successes, " << x.abandoned << " abandoned jobs";
  for (const auto& [name, found] : x.violations)
    out << ", " << name << ": " << found;
  return x.last_error.empty() ? out : out << ", last error: " << x.last_error;
}

careless_report run_careless_workers(const delivery_statements& statements,
                                     const careless_load& load) {
  postgres_fixture db;
  ingest(db, load.jobs);
  tally t;
  {
    std::jthread reaper{[&] { reap_until_done(db, statements, t); }};
    std::jthread rival{[&] { reap_until_done(db, statements, t); }};
    std::jthread auditor{[&] { audit_until_done(db.url(), t); }};
    work(db, statements, load, t);
    clear_up(db, statements, t);
    t.done = true;
  }
  return report_on(db, load, t);
}

} // namespace notify::test
