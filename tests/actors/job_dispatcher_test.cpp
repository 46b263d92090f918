#include "actors/job_dispatcher.hpp"

#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/probe.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;

struct job_dispatcher_fixture : test::actor_fixture {
  job_dispatcher_fixture() {
    config.delivery.lease = 60s;
    config.delivery.heartbeat_interval = 15s;
    config.delivery.poll_interval = 1s;
    config.delivery.drain_timeout = 10s;
    config.channels["email"].prefetch = 4;
    config.channels["email"].slots = 2;
    writer = test::spawn_probe<result_writer_actor>(system, written);
    dir->put(actor_names::result_writer(0), caf::actor_cast<caf::strong_actor_ptr>(writer));
  }

  ~job_dispatcher_fixture() {
    for (auto& x : workers)
      stop(x);
    stop(dispatcher);
    advance(config.delivery.drain_timeout);
    stop(writer);
    dir->clear();
  }

  void start() {
    dispatcher = system.spawn(job_dispatcher, config, store, dir);
    settle();
  }

  /// A worker that only writes down what it gets.
  delivery_worker_actor add_worker(std::shared_ptr<test::received> log) {
    workers.push_back(test::spawn_probe<delivery_worker_actor>(system, std::move(log)));
    return workers.back();
  }

  void ready(const delivery_worker_actor& worker, const std::string& channel = "email") {
    self->send(dispatcher, worker_ready{channel, worker});
    settle();
  }

  int64_t counter(const std::string& key) {
    return ask<actor_status>(dispatcher, get_status{})->counters[key];
  }

  job_dispatcher_config config;
  std::shared_ptr<test::fake_claim_store> store = std::make_shared<test::fake_claim_store>();
  directory_ptr dir = std::make_shared<directory>();
  std::shared_ptr<test::received> written = std::make_shared<test::received>();
  std::shared_ptr<test::received> first = std::make_shared<test::received>();
  std::shared_ptr<test::received> second = std::make_shared<test::received>();
  std::vector<delivery_worker_actor> workers;
  result_writer_actor writer;
  job_dispatcher_actor dispatcher;
};

TEST_CASE_METHOD(job_dispatcher_fixture, "a free worker gets a due job") {
  store->add_due("email", 1);
  start();
  CHECK(store->claims == 0);
  ready(add_worker(first));
  REQUIRE(first->delivered.size() == 1);
  CHECK(first->delivered[0].job.lease_id == 1);
}

TEST_CASE_METHOD(job_dispatcher_fixture, "a claim asks for the free slots and the prefetch, once") {
  store->add_due("email", 100);
  start();
  auto a = add_worker(first);
  auto b = add_worker(second);
  self->send(dispatcher, worker_ready{"email", a});
  self->send(dispatcher, worker_ready{"email", b});
  settle();
  // Both announcements were in the mailbox, so one claim serves both.
  CHECK(store->limits == std::vector<uint32_t>{6});
  CHECK(first->delivered.size() + second->delivered.size() == 2);
  CHECK(counter("waiting_email") == 4);
}

TEST_CASE_METHOD(job_dispatcher_fixture, "a prefetched job goes out without a claim") {
  store->add_due("email", 3);
  start();
  auto worker = add_worker(first);
  ready(worker);
  auto claims = store->claims;
  ready(worker);
  CHECK(first->delivered.size() == 2);
  CHECK(store->claims == claims);
}

TEST_CASE_METHOD(job_dispatcher_fixture,
                 "nothing is claimed while no worker is free and the prefetch is full") {
  store->add_due("email", 100);
  start();
  ready(add_worker(first));
  auto claims = store->claims;
  self->send(dispatcher, jobs_ready{{"email"}});
  settle();
  CHECK(store->claims == claims);
}

TEST_CASE_METHOD(job_dispatcher_fixture,
                 "an empty queue is asked again on a hint and by the poll only") {
  start();
  ready(add_worker(first));
  CHECK(store->claims == 1);
  store->add_due("email", 1);
  settle();
  CHECK(first->delivered.empty());
  self->send(dispatcher, jobs_ready{{"email"}});
  settle();
  CHECK(first->delivered.size() == 1);
  ready(workers[0]);
  store->add_due("email", 1);
  advance(1200ms);
  CHECK(first->delivered.size() == 2);
}

TEST_CASE_METHOD(job_dispatcher_fixture, "a channel without workers is left to other processes") {
  store->add_due("telegram", 5);
  store->add_due("email", 1);
  start();
  ready(add_worker(first));
  ready(add_worker(second), "telegram");
  CHECK(first->delivered.size() == 1);
  CHECK(second->delivered.empty());
  CHECK(store->due.size() == 5);
}

TEST_CASE_METHOD(job_dispatcher_fixture, "claims go on after an outage, with growing distance") {
  store->add_due("email", 1);
  store->available = false;
  start();
  ready(add_worker(first));
  CHECK(store->claims == 1);
  advance(5s);
  auto tried = store->claims;
  CHECK(tried > 1);
  CHECK(tried < 10);
  store->available = true;
  advance(10s);
  CHECK(first->delivered.size() == 1);
}

TEST_CASE_METHOD(job_dispatcher_fixture,
                 "leases in flight are renewed together, and nothing is done when idle") {
  store->add_due("email", 1);
  start();
  auto worker = add_worker(first);
  ready(worker);
  advance(15s);
  CHECK(store->heartbeats == 1);
  advance(15s);
  CHECK(store->heartbeats == 2);
  ready(worker);
  advance(60s);
  CHECK(store->heartbeats == 2);
}

TEST_CASE_METHOD(job_dispatcher_fixture, "jobs of a lost lease are not started") {
  store->add_due("email", 4);
  start();
  auto worker = add_worker(first);
  ready(worker);
  CHECK(counter("waiting_email") == 3);
  store->alive.clear();
  advance(15s);
  CHECK(counter("waiting_email") == 0);
  CHECK(counter("lost_leases") == 1);
  ready(worker);
  CHECK(first->delivered.size() == 1);
}

TEST_CASE_METHOD(job_dispatcher_fixture, "a lease that cannot be renewed in time counts as lost") {
  store->add_due("email", 2);
  start();
  auto worker = add_worker(first);
  ready(worker);
  store->available = false;
  advance(61s);
  ready(worker);
  CHECK(first->delivered.size() == 1);
}

TEST_CASE_METHOD(job_dispatcher_fixture,
                 "a worker that crashed with a job is reported as an abandoned attempt") {
  store->add_due("email", 1);
  start();
  auto worker = add_worker(first);
  ready(worker);
  stop(worker);
  REQUIRE(written->results.size() == 1);
  const auto& x = written->results[0].result;
  CHECK(x.attempt.job_id == first->delivered[0].job.job_id);
  CHECK(x.result == "abandoned");
  CHECK(x.next == next_step::retry);
  CHECK(x.counts_as_reclaim);
  CHECK_FALSE(x.counts_as_failure);
}

TEST_CASE_METHOD(job_dispatcher_fixture,
                 "a job that crashes its workers for ever is dead at the cap") {
  store->add_due("email", 1);
  store->due[0].reclaims = config.reclaim_cap;
  start();
  auto worker = add_worker(first);
  ready(worker);
  stop(worker);
  REQUIRE(written->results.size() == 1);
  CHECK(written->results[0].result.next == next_step::dead);
  CHECK(written->results[0].result.answer.reason == "reclaim_limit");
}

TEST_CASE_METHOD(job_dispatcher_fixture, "an idle worker that ends is forgotten") {
  start();
  auto worker = add_worker(first);
  ready(worker);
  stop(worker);
  CHECK(written->results.empty());
  CHECK(counter("workers") == 0);
  store->add_due("email", 1);
  advance(2s);
  CHECK(store->due.size() == 1);
}

TEST_CASE_METHOD(job_dispatcher_fixture, "a busy worker's lease is taken over after a restart") {
  start();
  store->alive.insert(77);
  auto worker = add_worker(first);
  self->send(dispatcher,
             worker_busy{"email", {uuid::random(), 1, 77}, 1, config.reclaim_cap, worker});
  settle();
  advance(15s);
  CHECK(store->heartbeats == 1);
  ready(worker);
  CHECK(counter("leases") == 0);
}

TEST_CASE_METHOD(job_dispatcher_fixture,
                 "stopping gives back what no worker has started and waits for the rest") {
  store->add_due("email", 4);
  start();
  auto worker = add_worker(first);
  ready(worker);
  self->monitor(dispatcher);
  self->send_exit(dispatcher, caf::exit_reason::user_shutdown);
  settle();
  CHECK(store->released.size() == 3);
  bool ended = false;
  auto look = [&] {
    self->receive([&](const caf::down_msg&) { ended = true; },
                  caf::after(std::chrono::seconds(0)) >> [] {});
    return ended;
  };
  CHECK_FALSE(look());
  ready(worker);
  CHECK(look());
  CHECK(first->delivered.size() == 1);
  // Asked once more when the rest of the lease was recorded, which ends it.
  CHECK(store->released.size() == 6);
}

TEST_CASE_METHOD(job_dispatcher_fixture,
                 "stopping does not wait for a send beyond the drain timeout") {
  store->add_due("email", 1);
  start();
  ready(add_worker(first));
  self->monitor(dispatcher);
  stop(dispatcher);
  bool ended = false;
  // The drain timeout, and a little for the answers of sends that are cut.
  advance(10s);
  advance(3s);
  self->receive([&](const caf::down_msg&) { ended = true; },
                caf::after(std::chrono::seconds(0)) >> [] {});
  CHECK(ended);
}

} // namespace
} // namespace notify
