#include "actors/channel_tuning.hpp"
#include "actors/supervisor.hpp"
#include "tests/support/delivery_fixture.hpp"

// Pools that become larger and smaller, and limits that change, while jobs are on their way.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::outcome_of;

/// The delivery side with its workers under a real pool supervisor.
struct tuning_fixture : test::delivery_fixture {
  tuning_fixture() {
    auto& email = channel("email");
    email.slots = 4;
    email.prefetch = 0;
  }

  ~tuning_fixture() {
    stop_dispatcher();
    stop(pool);
  }

  void start_pool() {
    auto slots = config.channels["email"].slots;
    config.channels["email"].slots = 0; // Without the fixture's own workers.
    start();
    tell(dispatcher, limits(static_cast<uint32_t>(slots)));
    tell(clients["email"], limits(static_cast<uint32_t>(slots)));
    supervisor_setup setup{actor_names::worker_pool("email"), stop_order::together, {}};
    setup.make_child = [dir = dir](size_t slot) {
      return child_spec{
          actor_names::delivery_worker("email", slot), [dir](caf::local_actor& parent) {
            delivery_worker_config own;
            own.channel = "email";
            own.deadline = 120s;
            own.retry.jitter = 0;
            return caf::actor_cast<caf::strong_actor_ptr>(parent.spawn(
                delivery_worker, own, std::make_shared<test::payload_templates>(), dir));
          }};
    };
    std::vector<child_spec> children;
    for (size_t i = 0; i < slots; ++i)
      children.push_back(setup.make_child(i));
    pool = system.spawn(supervisor, setup, children, dir);
    settle();
  }

  static tune_channel limits(uint32_t slots, double rate = 0) {
    return {"email", slots, 0, slots, rate};
  }

  template <class Handle, class Message>
  void tell(const Handle& to, const Message& x) {
    self->send(to, x);
    settle();
  }

  /// As a reload does it.
  void resize(uint32_t slots) {
    tell(dispatcher, limits(slots));
    tell(clients["email"], limits(slots));
    tell(pool, resize_pool{slots});
  }

  size_t children() { return ask<child_list>(pool, get_children{})->children.size(); }

  int64_t counter(const std::string& name) {
    return ask<actor_status>(dispatcher, get_status{})->counters[name];
  }

  /// Answers the oldest send that is on the wire.
  void answer_one() {
    auto done = std::move(adapter("email").held.front());
    adapter("email").held.pop_front();
    done(outcome_of(outcome_kind::sent));
    settle();
  }

  size_t on_wire() { return adapter("email").held.size(); }

  supervisor_actor pool;
};

TEST_CASE_METHOD(tuning_fixture, "a pool that grows sends more at once") {
  start_pool();
  queue->add("email", 20);
  pass(2s);
  CHECK(on_wire() == 4);
  resize(10);
  pass(2s);
  CHECK(children() == 10);
  CHECK(counter("workers") == 10);
  CHECK(on_wire() == 10);
}

TEST_CASE_METHOD(tuning_fixture, "a pool that shrinks lets its workers finish their jobs") {
  start_pool();
  queue->add("email", 20);
  pass(2s);
  resize(1);
  pass(2s);
  // Nobody was ended with a job in hand.
  CHECK(on_wire() == 4);
  CHECK(counter("worker_crashes") == 0);
  while (queue->count(next_step::sent) < 20) {
    REQUIRE(on_wire() > 0);
    answer_one();
    pass(1s);
  }
  CHECK(children() == 1);
  CHECK(counter("workers") == 1);
  CHECK(counter("worker_crashes") == 0);
  CHECK(adapter("email").seen.size() == 20);
}

TEST_CASE_METHOD(tuning_fixture, "idle workers of a pool that shrinks go at once") {
  start_pool();
  resize(2);
  pass(1s);
  CHECK(children() == 2);
  CHECK(counter("workers") == 2);
  CHECK(counter("idle_email") == 2);
  CHECK(ask<actor_status>(pool, get_status{})->counters["restarts"] == 0);
  queue->add("email", 5);
  pass(2s);
  CHECK(on_wire() == 2);
}

TEST_CASE_METHOD(tuning_fixture, "a pool that shrinks and grows again in one breath has its size") {
  start_pool();
  queue->add("email", 4);
  pass(2s);
  REQUIRE(on_wire() == 4);
  resize(1);
  resize(6);
  pass(1s);
  CHECK(children() == 6);
  for (int i = 0; i < 4; ++i)
    answer_one();
  pass(2s);
  CHECK(children() == 6);
  CHECK(counter("workers") == 6);
  queue->add("email", 20);
  pass(2s);
  CHECK(on_wire() == 6);
}

TEST_CASE_METHOD(tuning_fixture, "a job that crosses a worker's farewell is done before it goes") {
  start_pool();
  // All that happens before anybody answers: the pool shrinks while the claim is under way.
  queue->add("email", 4);
  self->send(dispatcher, jobs_ready{{"email"}});
  self->send(pool, resize_pool{1});
  settle();
  pass(1s);
  while (on_wire() > 0)
    answer_one();
  pass(3s);
  while (on_wire() > 0)
    answer_one();
  pass(3s);
  CHECK(queue->count(next_step::sent) == 4);
  CHECK(counter("worker_crashes") == 0);
  CHECK(children() == 1);
}

TEST_CASE_METHOD(tuning_fixture,
                 "a retired worker outlives the dispatcher that it wanted to tell") {
  start_pool();
  self->send_exit(dispatcher, caf::exit_reason::kill);
  settle();
  resize(1);
  advance(10s);
  CHECK(children() == 1);
  dispatcher = system.spawn(job_dispatcher, config, queue, dir);
  put(actor_names::dispatcher, dispatcher);
  tell(dispatcher, limits(1));
  advance(2s);
  CHECK(counter("workers") == 1);
}

TEST_CASE_METHOD(tuning_fixture, "a new rate counts from the next send on") {
  start_pool();
  tell(dispatcher, limits(4, 1));
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::sent); };
  queue->add("email", 100);
  pass(10s);
  auto slow = adapter("email").seen.size();
  CHECK(slow >= 8);
  CHECK(slow <= 12);
  tell(dispatcher, limits(4, 0));
  pass(5s);
  CHECK(adapter("email").seen.size() == 100);
}

TEST_CASE("limits are what the settings say, and new ones are news once") {
  channel_config settings;
  settings.slots = 8;
  settings.prefetch = 3;
  settings.concurrency = 20;
  settings.rate = 2.5;
  channel_tuning tuning{{{"email", settings}}};
  auto x = tuning.of("email");
  CHECK(x.slots == 8);
  CHECK(x.prefetch == 3);
  CHECK(x.concurrency == 8);
  CHECK(x.rate == 2.5);
  CHECK_FALSE(tuning.set(x));
  x.slots = 2;
  CHECK(tuning.set(x));
  CHECK_FALSE(tuning.set(x));
  CHECK(tuning.of("email").slots == 2);
  settings.concurrency = 0;
  CHECK(tuning_of("email", settings).concurrency == 8);
}

} // namespace
} // namespace notify
