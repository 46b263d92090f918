#include "tests/support/delivery_fixture.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::outcome_of;

TEST_CASE_METHOD(test::delivery_fixture,
                 "a job that was handed back to a dispatcher that just died waits for its lease") {
  auto& email = channel("email");
  email.slots = 1;
  email.prefetch = 0;
  queue->add("email");
  start();
  advance(2s);
  REQUIRE(adapter("email").held.size() == 1);
  REQUIRE(queue->in_flight.size() == 1);

  // The send is broken off, and the worker says so to a dispatcher that reads nothing any more.
  auto done = std::move(adapter("email").held.front());
  adapter("email").held.clear();
  done(outcome_of(outcome_kind::interrupted));
  REQUIRE(scheduler.prioritize(clients["email"]));
  scheduler.run_once();
  self->send_exit(dispatcher, caf::exit_reason::kill);
  REQUIRE(scheduler.prioritize(workers[0]));
  scheduler.run_once();
  self->send_exit(workers[0], caf::exit_reason::kill);
  settle();
  CHECK(queue->released == 0);
  CHECK(queue->ended.empty());

  // Others come, and find nothing to do: the job belongs to the lease.
  dispatcher = system.spawn(job_dispatcher, config, queue, dir);
  put(actor_names::dispatcher, dispatcher);
  start_worker("email", email);
  pass(1min, 1s);
  CHECK(adapter("email").seen.size() == 1);
  REQUIRE(queue->in_flight.size() == 1);

  queue->expire_leases();
  pass(5s);
  REQUIRE(adapter("email").held.size() == 1);
  CHECK(adapter("email").seen.back().request.attempt_no == 2);
  adapter("email").held.front()(outcome_of(outcome_kind::sent));
  adapter("email").held.clear();
  pass(1s);
  CHECK(queue->count(next_step::sent) == 1);
  CHECK(queue->in_flight.empty());
}

} // namespace
} // namespace notify
