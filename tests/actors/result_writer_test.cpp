#include "actors/result_writer.hpp"

#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/probe.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;

struct result_writer_fixture : test::actor_fixture {
  result_writer_fixture() {
    worker = test::spawn_probe<delivery_worker_actor>(system, answers);
    writer = system.spawn(result_writer, result_writer_config{3}, store);
    settle();
  }

  ~result_writer_fixture() {
    stop(writer);
    stop(worker);
  }

  attempt_result make(int64_t lease_id, uint32_t lease_size,
                      next_step next = next_step::sent) const {
    attempt_result x;
    x.attempt = {uuid::random(), 1, lease_id};
    x.lease_size = lease_size;
    x.next = next;
    x.result = to_string(next);
    x.answer.detail = "250 ok";
    return x;
  }

  void say(const attempt_result& x) { self->send(writer, record_result{x, worker}); }

  std::shared_ptr<test::received> answers = std::make_shared<test::received>();
  std::shared_ptr<test::fake_result_store> store = std::make_shared<test::fake_result_store>();
  delivery_worker_actor worker;
  result_writer_actor writer;
};

TEST_CASE_METHOD(result_writer_fixture, "a result is durable before its worker hears of it") {
  store->available = false;
  say(make(1, 1));
  settle();
  CHECK(answers->recorded.empty());
  store->available = true;
  advance(100ms);
  REQUIRE(answers->recorded.size() == 1);
  CHECK(answers->recorded[0].applied);
  CHECK(store->recorded.size() == 1);
}

TEST_CASE_METHOD(result_writer_fixture, "what waits together is written together, up to a batch") {
  for (int i = 0; i < 7; ++i)
    say(make(1, 100));
  settle();
  CHECK(store->batches == std::vector<size_t>{3, 3, 1});
  CHECK(answers->recorded.size() == 7);
}

TEST_CASE_METHOD(result_writer_fixture, "a lease is ended with its last result, over batches") {
  for (int i = 0; i < 4; ++i)
    say(make(5, 5));
  settle();
  CHECK(store->done_leases.empty());
  say(make(5, 5));
  settle();
  CHECK(store->done_leases == std::vector<int64_t>{5});
}

TEST_CASE_METHOD(result_writer_fixture,
                 "a result said twice ends no lease early and changes nothing") {
  auto x = make(5, 2);
  say(x);
  settle();
  say(x);
  settle();
  CHECK(store->done_leases.empty());
  CHECK(store->recorded.size() == 1);
  REQUIRE(answers->recorded.size() == 2);
  CHECK_FALSE(answers->recorded[1].applied);
  say(make(5, 2));
  settle();
  CHECK(store->done_leases == std::vector<int64_t>{5});
}

TEST_CASE_METHOD(result_writer_fixture,
                 "workers that ask again during an outage do not grow the batch") {
  store->available = false;
  auto x = make(5, 2);
  for (int i = 0; i < 10; ++i) {
    say(x);
    settle();
  }
  CHECK(ask<actor_status>(writer, get_status{})->counters["pending"] == 1);
  store->available = true;
  advance(5s);
  CHECK(answers->recorded.size() == 1);
}

TEST_CASE_METHOD(result_writer_fixture, "a success that lost its attempt is recorded as late") {
  auto sent = make(5, 2);
  auto failed = make(5, 2, next_step::retry);
  store->attempts.emplace(sent.attempt.job_id, 1);
  store->attempts.emplace(failed.attempt.job_id, 1);
  say(sent);
  say(failed);
  settle();
  REQUIRE(store->late.size() == 1);
  CHECK(store->late[0].attempt.job_id == sent.attempt.job_id);
  CHECK(answers->recorded.size() == 2);
  CHECK(ask<actor_status>(writer, get_status{})->counters["superseded"] == 1);
}

TEST_CASE_METHOD(result_writer_fixture, "a late success outlives an outage") {
  auto sent = make(5, 2);
  store->attempts.emplace(sent.attempt.job_id, 1);
  store->takes_late = false;
  say(sent);
  settle();
  CHECK(store->late.empty());
  store->takes_late = true;
  advance(1s);
  CHECK(store->late.size() == 1);
}

TEST_CASE_METHOD(result_writer_fixture,
                 "a refused description does not undo a success nor hold up others") {
  auto bad = make(5, 3);
  bad.answer.detail = "refuse me";
  store->refuses = [](const attempt_result& x) { return x.answer.detail == "refuse me"; };
  say(make(5, 3));
  say(bad);
  say(make(5, 3));
  settle();
  REQUIRE(answers->recorded.size() == 3);
  for (const auto& x : answers->recorded)
    CHECK(x.applied);
  REQUIRE(store->recorded.size() == 3);
  for (const auto& x : store->recorded)
    CHECK(x.answer.detail != "refuse me");
}

TEST_CASE_METHOD(result_writer_fixture, "stopping writes what has gathered") {
  say(make(5, 3));
  self->send_exit(writer, caf::exit_reason::user_shutdown);
  settle();
  CHECK(store->recorded.size() == 1);
}

} // namespace
} // namespace notify
