#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

namespace notify {
namespace {

using namespace test;

TEST_CASE_METHOD(store_fixture, "Q-B1: a job that is finished between the reaper's look and its "
                                "write stays finished") {
  ingest(db, 2);
  auto jobs = claim(2);
  expire();
  raw_connection holder{db.url()};
  holder.query("begin; select 1 from notify.notification_jobs where id = '"
               + to_string(jobs[0].job_id) + "' for update");
  // The worker's attempt is inserted, but not committed: it waits for the job.
  caf::expected<std::vector<bool>> applied{caf::error{}};
  std::jthread worker{
      [&] { applied = results.record({sample_result(jobs[0], next_step::sent)}, {}); }};
  REQUIRE(blocked(db, "result"));
  // The reaper sees neither attempt, begins to write both, and waits for the worker's.
  caf::expected<reap_report> report{caf::error{}};
  std::jthread pass{[&] { report = reaper.reap(10, 5); }};
  REQUIRE(blocked(db, "reaper"));
  holder.query("rollback");
  worker.join();
  pass.join();
  REQUIRE(applied);
  CHECK(*applied == std::vector<bool>{true});
  REQUIRE(report);
  CHECK(report->released == 1);
  CHECK(job_row(jobs[0].job_id, "status, attempt_count, reclaims") == strings{"sent", "1", "0"});
  CHECK(job_row(jobs[1].job_id, "status, attempt_count, reclaims")
        == strings{"retry_wait", "1", "1"});
  CHECK(count("notify.delivery_attempts where result = 'sent'") == "1");
  CHECK(count("notify.delivery_attempts") == "2");
  auto next = claim(1);
  CHECK(next[0].job_id == jobs[1].job_id);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture,
                 "Q-B3: the jobs of a dead process come back, whatever else is known "
                 "of it and whoever took its name") {
  ingest(db, 10);
  auto owner = uuid::random();
  {
    pg_claim_store victim{db.config(), owner};
    for (int i = 0; i < 5; ++i)
      REQUIRE(victim.claim("email", 2, 60s)->size() == 2);
    db.terminate("claim");
  }
  expire();
  // Same host, same application name, and even the same id: it renews what it knows, no more.
  pg_claim_store successor{db.config(), owner};
  auto own = successor.claim("email", 10, 60s);
  REQUIRE(own);
  CHECK(own->empty());
  auto alive = successor.heartbeat({}, 60s);
  REQUIRE(alive);
  CHECK(alive->empty());
  CHECK(reap().leases == 5);
  auto jobs = successor.claim("email", 20, 60s);
  REQUIRE(jobs);
  CHECK(jobs->size() == 10);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "Q-B4: a job that one finishes while another gives it up ends "
                                "exactly once") {
  constexpr uint32_t lease_count = 40, lease_size = 10;
  ingest(db, lease_count * lease_size);
  db.query("create table ends (job_id uuid, status text);"
           "create function note_end() returns trigger language plpgsql as $$ begin "
           "if old.status <> new.status then insert into ends values (new.id, new.status); end if; "
           "return null; end $$; "
           "create trigger note_end after update on notify.notification_jobs "
           "for each row execute function note_end()");
  std::vector<std::vector<delivery_job>> leases;
  for (uint32_t i = 0; i < lease_count; ++i)
    leases.push_back(claim(lease_size));
  expire();
  std::atomic<int> failed{0}, recorded{0};
  auto work = [&] {
    for (auto lease = leases.rbegin(); lease != leases.rend(); ++lease) {
      std::vector<attempt_result> batch;
      for (const auto& job : *lease)
        batch.push_back(
            sample_result(job, batch.size() % 2 == 0 ? next_step::sent : next_step::dead));
      auto applied = results.record(batch, {lease->front().lease_id});
      if (!applied) {
        ++failed;
        continue;
      }
      for (size_t i = 0; i < batch.size(); ++i) {
        recorded += applied->at(i) ? 1 : 0;
        if (!applied->at(i) && batch[i].next == next_step::sent
            && !results.record_late_success(batch[i]))
          ++failed;
      }
    }
  };
  {
    std::jthread worker{work};
    std::jthread pruner{[&] {
      for (uint32_t i = 0; i < lease_count; ++i)
        failed += reaper.reap(1, 0) ? 0 : 1; // Whatever it takes is dead at once.
    }};
  }
  while (reap(10, 0).leases > 0) {
  }
  INFO(recorded << " results came first");
  CHECK(failed == 0);
  constexpr auto all = lease_count * lease_size;
  CHECK(count("ends") == std::to_string(all));
  CHECK(count("(select from ends group by job_id) x") == std::to_string(all));
  CHECK(count("ends e join notify.notifications n on n.id = e.job_id and n.status = e.status")
        == std::to_string(all));
  // Each as its one attempt says.
  CHECK(count("notify.notification_jobs j join notify.delivery_attempts a on a.job_id = j.id "
              "where case a.result when 'sent' then j.status = 'sent' "
              "when 'abandoned' then j.dead_reason = 'reclaim_limit' "
              "else j.dead_reason = a.result end")
        == std::to_string(all));
  CHECK(count("notify.leases") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "Q-B6: jobs of a channel that a process does not know survive its "
                                "reaper") {
  ingest(db, 3, {"email", "telegram"});
  auto lost = claim(3, "telegram");
  expire();
  // This process has e-mail only.
  uint64_t released = 0, dead = 0;
  for (int i = 0; i < 20; ++i) {
    auto report = reap();
    released += report.released;
    dead += count_dead(report);
    auto mails = claims.claim("email", 10, 60s);
    REQUIRE(mails);
    for (const auto& x : *mails)
      CHECK(x.channel == "email");
  }
  CHECK(released == 3);
  CHECK(dead == 0);
  CHECK(count("notify.notifications where channel = 'telegram' and status = 'retry_wait' "
              "and reclaims = 1 and failures = 0")
        == "3");
  pg_claim_store other{db.config(), uuid::random()};
  auto jobs = other.claim("telegram", 10, 60s);
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 3);
  std::vector<attempt_result> batch;
  for (const auto& job : *jobs)
    batch.push_back(sample_result(job, next_step::sent));
  record(batch, {jobs->front().lease_id});
  CHECK(count("notify.notifications where channel = 'telegram' and status = 'sent'") == "3");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "Q-B7: a job that kills its process is dead after a bounded number "
                                "of times, and the others get through") {
  constexpr int32_t cap = 3;
  ingest(db, 1);
  auto poison = sample_job(sample_event(1)).id;
  int crashes = 0;
  for (uint64_t round = 1; round <= 10; ++round) {
    ingest(db, 1 + round * 5); // Five new ones each time.
    auto jobs = claims.claim("email", 100, 60s);
    REQUIRE(jobs);
    std::vector<attempt_result> batch;
    for (const auto& job : *jobs) {
      if (job.job_id == poison)
        ++crashes;
      else
        batch.push_back(sample_result(job, next_step::sent));
    }
    // The others of its lease were recorded before the process died.
    record(batch, {});
    expire();
    reap(10, cap);
  }
  CHECK(crashes == cap + 1);
  CHECK(job_row(poison, "status, dead_reason, reclaims, attempt_count, failures, unknowns")
        == strings{"dead", "reclaim_limit", "4", "4", "0", "4"});
  CHECK(count("notify.notifications where status = 'sent' and attempt_count = 1") == "50");
  CHECK(count("notify.leases") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

} // namespace
} // namespace notify
