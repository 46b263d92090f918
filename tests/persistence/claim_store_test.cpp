#include "persistence/pg_claim_store.hpp"

#include "messages/error.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_result_store.hpp"
#include "tests/persistence/samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <thread>

namespace notify {
namespace {

using namespace test;

TEST_CASE("a claim fills in all that a worker needs") {
  postgres_fixture db;
  ingest(db, 1);
  pg_claim_store store{db.config(), uuid::random()};
  auto jobs = store.claim("email", 10, 60s);
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 1);
  auto& x = jobs->front();
  auto event = sample_event(1);
  auto job = sample_job(event);
  CHECK(x.job_id == job.id);
  CHECK(x.attempt_no == 1);
  CHECK(x.lease_id > 0);
  CHECK(x.lease_size == 1);
  CHECK(x.channel == "email");
  CHECK(x.recipient == job.recipient);
  CHECK(x.template_key == job.template_key);
  CHECK(x.locale == job.locale);
  CHECK(x.event_id == event.event_id);
  CHECK(x.event_type == event.type);
  CHECK(x.occurred_at_us == event.occurred_at_us);
  CHECK(x.correlation_id == event.correlation_id);
  CHECK(x.traceparent == event.traceparent);
  CHECK(x.payload == event.payload);
  CHECK(x.failures == 0);
  CHECK(x.reclaims == 0);
  CHECK(x.unknowns == 0);
  CHECK(x.first_unknown_age == 0s);
  CHECK(x.frozen_hash.empty());
  CHECK(x.expires_in == caf::timespan::max());
  CHECK(x.suppressed.empty());
  CHECK(status_of(db, x.job_id) == "processing");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE("a claim takes the oldest due jobs of its channel, in one lease, up to the limit") {
  postgres_fixture db;
  ingest(db, 5, {"email", "telegram"});
  db.query("update notify.job_queue set due_at = now() + interval '1 hour' where job_id = '"
           + to_string(sample_job(sample_event(1)).id) + "'");
  db.query("update notify.job_queue set due_at = now() - interval '1 hour' where job_id = '"
           + to_string(sample_job(sample_event(4)).id) + "'");
  pg_claim_store store{db.config(), uuid::random()};
  auto first = store.claim("email", 1, 60s);
  REQUIRE(first);
  REQUIRE(first->size() == 1);
  CHECK(first->front().job_id == sample_job(sample_event(4)).id);
  auto rest = store.claim("email", 10, 60s);
  REQUIRE(rest);
  CHECK(rest->size() == 3);
  for (auto& x : *rest) {
    CHECK(x.channel == "email");
    CHECK(x.lease_id == rest->front().lease_id);
    CHECK(x.lease_size == 3);
  }
  auto none = store.claim("email", 10, 60s);
  REQUIRE(none);
  CHECK(none->empty());
  CHECK(db.value("select count(*) from notify.leases") == "2");
  auto nothing = store.claim("sms", 10, 60s);
  REQUIRE(nothing);
  CHECK(nothing->empty());
}

TEST_CASE("claims that run at the same time share the jobs, none twice, none left") {
  postgres_fixture db;
  ingest(db, 600);
  std::mutex mutex;
  std::multiset<uuid> claimed;
  auto run = [&] {
    pg_claim_store store{db.config(), uuid::random()};
    for (;;) {
      auto jobs = store.claim("email", 7, 60s);
      if (!jobs || jobs->empty())
        return;
      std::lock_guard guard{mutex};
      for (auto& x : *jobs)
        claimed.insert(x.job_id);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back(run);
  }
  CHECK(claimed.size() == 600);
  CHECK(std::set<uuid>(claimed.begin(), claimed.end()).size() == 600);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE("a claim tells how long a job may still be sent") {
  postgres_fixture db;
  ingest(db, 3);
  auto set = [&](uint64_t event, const std::string& time) {
    db.query("update notify.notification_jobs set expires_at = " + time + " where id = '"
             + to_string(sample_job(sample_event(event)).id) + "'");
  };
  set(1, "now() + interval '1 hour'");
  set(2, "now() - interval '1 hour'");
  set(3, "'9999-12-31 23:59:59Z'"); // Further away than a timespan can tell.
  pg_claim_store store{db.config(), uuid::random()};
  auto jobs = store.claim("email", 10, 60s);
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 3);
  std::sort(jobs->begin(), jobs->end(), [](auto& a, auto& b) { return a.job_id < b.job_id; });
  CHECK(jobs->at(0).expires_in <= 1h);
  CHECK(jobs->at(0).expires_in > 50min);
  CHECK(jobs->at(1).expires_in <= -1h);
  CHECK(jobs->at(1).expires_in > -70min);
  CHECK(jobs->at(2).expires_in == caf::timespan::max());
}

TEST_CASE("a job that became due before the floor is found by the next full claim") {
  postgres_fixture db;
  ingest(db, 2);
  pg_claim_store store{db.config(), uuid::random()};
  REQUIRE(store.claim("email", 1, 60s));
  // As if its transaction had begun an hour ago and committed now.
  db.query("update notify.job_queue set due_at = now() - interval '1 hour'");
  size_t found = 0;
  auto deadline = std::chrono::steady_clock::now() + 60s;
  while (found == 0 && std::chrono::steady_clock::now() < deadline) {
    auto jobs = store.claim("email", 1, 60s);
    REQUIRE(jobs);
    found = jobs->size();
  }
  CHECK(found == 1);
}

TEST_CASE("a queue row of a job that is not open is dropped, not sent") {
  postgres_fixture db;
  ingest(db, 2);
  db.query("update notify.notification_jobs set status = 'cancelled', finished_at = now() "
           "where id = '"
           + to_string(sample_job(sample_event(1)).id) + "'");
  pg_claim_store store{db.config(), uuid::random()};
  auto jobs = store.claim("email", 10, 60s);
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 1);
  CHECK(jobs->front().lease_size == 1);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE("a job whose event was pruned is claimed all the same, without a payload") {
  postgres_fixture db;
  ingest(db, 1);
  db.query("delete from notify.inbox_events");
  pg_claim_store store{db.config(), uuid::random()};
  auto jobs = store.claim("email", 10, 60s);
  REQUIRE(jobs);
  REQUIRE(jobs->size() == 1);
  CHECK(jobs->front().payload.empty());
}

TEST_CASE("a heartbeat renews the owner's live leases and names them, others are lost") {
  postgres_fixture db;
  ingest(db, 4);
  pg_claim_store store{db.config(), uuid::random()};
  pg_claim_store other{db.config(), uuid::random()};
  std::vector<int64_t> ids;
  for (auto* x : {&store, &store, &other}) {
    auto jobs = x->claim("email", 1, 60s);
    REQUIRE(jobs);
    ids.push_back(jobs->at(0).lease_id);
  }
  db.query("update notify.leases set lease_until = now() - interval '1 second' where id = "
           + std::to_string(ids[1]));
  auto before = db.query("select id, lease_until from notify.leases order by id");
  ids.push_back(4711);
  auto alive = store.heartbeat(ids, 300s);
  REQUIRE(alive);
  CHECK(*alive == std::vector<int64_t>{ids[0]});
  auto after = db.query("select id, lease_until from notify.leases order by id");
  CHECK(before[0] != after[0]);
  CHECK(before[1] == after[1]);
  CHECK(before[2] == after[2]);
  auto none = store.heartbeat({}, 300s);
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("a channel's name with a NUL is refused instead of cut") {
  postgres_fixture db;
  ingest(db, 1);
  pg_claim_store store{db.config(), uuid::random()};
  auto jobs = store.claim(std::string("email\0x", 7), 1, 60s);
  REQUIRE_FALSE(jobs);
  CHECK(jobs.error() == ec::storage_data);
}

} // namespace
} // namespace notify
