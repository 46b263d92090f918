#include "tests/support/delivery_fixture.hpp"

// What becomes of jobs when providers misbehave: all delivery actors together, on virtual time.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::delivery_fixture;
using test::outcome_of;

TEST_CASE_METHOD(delivery_fixture, "P-25: while a provider refuses our account no job dies") {
  auto& email = channel("email");
  email.slots = 4;
  email.breaker = {20, 30s, 5min};
  auto refuses = true;
  adapter("email").rule = [&](const send_request&) {
    return refuses ? outcome_of(outcome_kind::hold, "http_unauthorized")
                   : outcome_of(outcome_kind::sent);
  };
  queue->add("email", 50);
  start();
  pass(10min);
  // The first slots found out together, then one probe at a time.
  auto tried = adapter("email").seen.size();
  CHECK(tried <= 4 + 5);
  CHECK(queue->ended.empty());
  auto status = ask<actor_status>(clients["email"], get_status{});
  CHECK(status->counters["breaker_open"] == 1);
  CHECK(status->counters["breaker_openings"] == 1);
  refuses = false;
  pass(10min);
  CHECK(queue->count(next_step::sent) == 50);
  CHECK(queue->count(next_step::dead) == 0);
  for (const auto& [id, x] : queue->ended)
    CHECK(x.counts_as_failure == false);
}

TEST_CASE_METHOD(delivery_fixture, "a provider that is down costs its jobs one failure each") {
  auto& email = channel("email");
  email.slots = 2;
  email.breaker = {4, 30s, 1min};
  auto down = true;
  adapter("email").rule = [&](const send_request&) {
    return outcome_of(down ? outcome_kind::retry : outcome_kind::sent);
  };
  queue->add("email", 100);
  start();
  pass(1h);
  auto tried = adapter("email").seen.size();
  CHECK(tried >= 4 + 50);
  CHECK(tried <= 4 + 65);
  down = false;
  pass(40min);
  CHECK(queue->count(next_step::sent) + queue->count(next_step::dead) == 100);
  CHECK(queue->count(next_step::sent) >= 90);
}

TEST_CASE_METHOD(delivery_fixture, "a half-open breaker lets one send through at a time") {
  auto& email = channel("email");
  email.slots = 8;
  email.breaker = {20, 30s, 5min};
  adapter("email").rule = [&](const send_request&) { return outcome_of(outcome_kind::hold); };
  queue->add("email", 20);
  start();
  adapter("email").rule = nullptr;
  auto before = adapter("email").seen.size();
  pass(2min);
  CHECK(adapter("email").seen.size() == before + 1);
  CHECK(adapter("email").held.size() == 1);
}

TEST_CASE_METHOD(delivery_fixture, "D-C2: a wait that concerns all of the bot holds all of it") {
  channel("telegram").slots = 3;
  adapter("telegram").rule = [&](const send_request&) {
    if (adapter("telegram").seen.size() > 3)
      return outcome_of(outcome_kind::sent);
    auto x = outcome_of(outcome_kind::retry_after, "telegram_flood");
    x.wait_hint = 7s;
    x.pause_channel = true;
    return x;
  };
  queue->add("telegram", 30);
  auto begin = now();
  start();
  CHECK(adapter("telegram").seen.size() <= 3);
  pass(1min);
  for (size_t i = 3; i < adapter("telegram").seen.size(); ++i)
    CHECK(adapter("telegram").seen[i].at >= begin + 7s);
  CHECK(queue->count(next_step::sent) == 30);
}

TEST_CASE_METHOD(delivery_fixture, "D-C11: in no second are there more sends than the rate") {
  auto& email = channel("email");
  email.slots = 16;
  email.rate = 10;
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::sent); };
  queue->add("email", 100);
  start();
  pass(12s, 10ms);
  const auto& seen = adapter("email").seen;
  REQUIRE(seen.size() == 100);
  for (size_t i = 10; i < seen.size(); ++i)
    CHECK(seen[i].at - seen[i - 10].at >= 1s);
  CHECK(seen.back().at - seen.front().at <= 11s);
}

TEST_CASE_METHOD(delivery_fixture, "a paused channel sends nothing until it is resumed") {
  channel("email").slots = 2;
  channel("telegram").slots = 2;
  adapter("telegram").rule = [](const send_request&) { return outcome_of(outcome_kind::sent); };
  queue->add("email", 10);
  start();
  CHECK(adapter("email").held.size() == 2);
  auto paused = ask<channel_pause_set>(dispatcher, set_channel_pause{"email", true, "ada"});
  REQUIRE(paused);
  CHECK(paused->changed);
  settle();
  // What was on the wire goes on; what only waited is given back.
  CHECK(queue->in_flight.size() == 2);
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::sent); };
  for (auto& done : std::exchange(adapter("email").held, {}))
    done(outcome_of(outcome_kind::sent));
  queue->add("telegram", 5);
  pass(1min);
  CHECK(adapter("email").seen.size() == 2);
  CHECK(adapter("telegram").seen.size() == 5);
  CHECK_FALSE(ask<channel_pause_set>(dispatcher, set_channel_pause{"email", true, "ada"})->changed);
  CHECK_FALSE(ask<channel_pause_set>(dispatcher, set_channel_pause{"fax", true, "ada"}));
  REQUIRE(ask<channel_pause_set>(dispatcher, set_channel_pause{"email", false, "ada"}));
  settle();
  CHECK(queue->count(next_step::sent) == 15);
}

TEST_CASE_METHOD(delivery_fixture, "D-A10: a lost answer is retried far off, under the same key") {
  channel("email").slots = 1;
  adapter("email").rule = [&](const send_request&) {
    return outcome_of(adapter("email").seen.size() == 1 ? outcome_kind::unknown
                                                        : outcome_kind::sent);
  };
  queue->add("email");
  start();
  pass(9min);
  CHECK(adapter("email").seen.size() == 1);
  pass(2min);
  const auto& seen = adapter("email").seen;
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].request.idempotency_key == seen[1].request.idempotency_key);
  CHECK(seen[0].request.content.content_hash == seen[1].request.content.content_hash);
  CHECK(queue->attempts.at(0).result == "unknown_outcome");
  CHECK(queue->count(next_step::sent) == 1);
}

TEST_CASE_METHOD(delivery_fixture, "P-7: where no key protects a retry, a lost answer can park") {
  auto& telegram = channel("telegram");
  telegram.retry.unknown = unknown_policy::park;
  adapter("telegram").rule = [](const send_request&) { return outcome_of(outcome_kind::unknown); };
  queue->add("telegram", 3);
  start();
  pass(2h);
  CHECK(adapter("telegram").seen.size() == 3);
  REQUIRE(queue->count(next_step::dead) == 3);
  for (const auto& [id, x] : queue->ended)
    CHECK(x.dead_reason == "unknown_outcome");
}

TEST_CASE_METHOD(delivery_fixture, "P-2: lost answers are not followed up for ever") {
  auto& email = channel("email");
  email.retry.unknown_attempts = 3;
  email.breaker.failures = 0;
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::unknown); };
  queue->add("email");
  start();
  pass(3h, 1s);
  CHECK(adapter("email").seen.size() == 3);
  CHECK(queue->count(next_step::dead) == 1);
}

TEST_CASE_METHOD(delivery_fixture,
                 "while a key lives a lost answer is retried soon, even if parked") {
  auto& email = channel("email");
  email.retry.unknown = unknown_policy::park;
  key_lifetime = 24h;
  adapter("email").rule = [&](const send_request&) {
    return outcome_of(adapter("email").seen.size() == 1 ? outcome_kind::unknown
                                                        : outcome_kind::sent);
  };
  queue->add("email");
  start();
  pass(10s);
  CHECK(queue->count(next_step::sent) == 1);
}

TEST_CASE_METHOD(delivery_fixture, "after its key's life a job that may have arrived is parked") {
  channel("email").retry.unknown = unknown_policy::park;
  key_lifetime = 24h;
  auto& job = queue->add("email");
  job.unknowns = 1;
  job.first_unknown_age = 25h;
  start();
  CHECK(adapter("email").seen.empty());
  REQUIRE(queue->attempts.size() == 1);
  CHECK(queue->attempts[0].dead_reason == "unknown_outcome");
  CHECK(queue->attempts[0].answer.reason == "idempotency_key_expired");
}

TEST_CASE_METHOD(delivery_fixture, "what may have arrived is not sent again in other words") {
  channel("email");
  auto& job = queue->add("email");
  job.unknowns = 1;
  job.frozen_hash = "hash of something else";
  auto& same = queue->add("email");
  same.unknowns = 1;
  same.frozen_hash = "hash of {}";
  start();
  CHECK(adapter("email").seen.size() == 1);
  REQUIRE(queue->attempts.size() == 1);
  CHECK(queue->attempts[0].answer.reason == "content_changed");
  CHECK(queue->attempts[0].next == next_step::dead);
}

TEST_CASE_METHOD(delivery_fixture, "an expired job is dead and never sent, a suppressed one too") {
  channel("email");
  queue->add("email").expires_in = 0s;
  queue->add("email").suppressed = "smtp_rcpt_unknown";
  start();
  CHECK(adapter("email").seen.empty());
  REQUIRE(queue->attempts.size() == 2);
  CHECK(queue->attempts[0].dead_reason == "expired");
  CHECK(queue->attempts[0].answer.reason == "expired");
  CHECK(queue->attempts[1].dead_reason == "permanent_provider_error");
  CHECK(queue->attempts[1].answer.reason == "recipient_suppressed");
}

TEST_CASE_METHOD(delivery_fixture, "a job that expires before its retry is dead at once") {
  channel("email");
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::retry); };
  queue->add("email").expires_in = 4s;
  start();
  REQUIRE(queue->attempts.size() == 1);
  CHECK(queue->attempts[0].dead_reason == "expired");
}

TEST_CASE_METHOD(delivery_fixture, "a job that waited for its turn past its end is not sent") {
  auto& email = channel("email");
  email.slots = 1;
  queue->add("email");
  queue->add("email").expires_in = 30s;
  start();
  REQUIRE(adapter("email").held.size() == 1);
  pass(40s);
  adapter("email").held.front()(outcome_of(outcome_kind::sent));
  settle();
  CHECK(adapter("email").seen.size() == 1);
  REQUIRE(queue->attempts.size() == 2);
  CHECK(queue->attempts[1].dead_reason == "expired");
}

TEST_CASE_METHOD(delivery_fixture, "D-A11: a stop takes nothing from a job's budget") {
  channel("email").slots = 4;
  queue->add("email", 20);
  start();
  CHECK(adapter("email").held.size() == 4);
  self->send_exit(dispatcher, caf::exit_reason::user_shutdown);
  settle();
  CHECK(queue->in_flight.size() == 4);
  pass(10s);
  // The drain time is over: what was surely not accepted is given back, under the same number.
  CHECK(adapter("email").held.empty());
  CHECK(queue->attempts.empty());
  CHECK(queue->in_flight.empty());
  REQUIRE(queue->queue.size() == 20);
  for (const auto& x : queue->queue) {
    CHECK(x.job.attempt_no == 1);
    CHECK(x.job.failures == 0);
    CHECK(x.due <= now());
  }
}

TEST_CASE_METHOD(delivery_fixture, "a stop in the middle of an answer leaves an unknown outcome") {
  channel("email").slots = 2;
  adapter("email").at_stop = outcome_kind::unknown;
  queue->add("email", 2);
  start();
  self->send_exit(dispatcher, caf::exit_reason::user_shutdown);
  settle();
  pass(10s);
  REQUIRE(queue->attempts.size() == 2);
  CHECK(queue->attempts[0].result == "unknown_outcome");
  CHECK(queue->in_flight.empty());
}

TEST_CASE_METHOD(delivery_fixture, "a dispatcher that was restarted learns of a closed gate") {
  auto& email = channel("email");
  email.slots = 2;
  email.breaker = {20, 30s, 5min};
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::hold); };
  queue->add("email", 10);
  start();
  auto tried = adapter("email").seen.size();
  self->send_exit(dispatcher, caf::exit_reason::kill);
  settle();
  dispatcher = system.spawn(job_dispatcher, config, queue, dir);
  put(actor_names::dispatcher, dispatcher);
  pass(20s);
  // It claims, is refused by the client, gives back, and waits.
  CHECK(adapter("email").seen.size() == tried);
  CHECK(queue->in_flight.empty());
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::sent); };
  pass(10min);
  CHECK(queue->count(next_step::sent) == 10);
}

TEST_CASE_METHOD(delivery_fixture,
                 "a restarted provider client opens the gate that it finds shut") {
  auto& email = channel("email");
  email.slots = 2;
  email.breaker = {20, 1h, 2h};
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::hold); };
  queue->add("email", 10);
  start();
  stop(clients["email"]);
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::sent); };
  start_client("email", email);
  pass(2min);
  CHECK(queue->count(next_step::sent) == 10);
}

TEST_CASE_METHOD(delivery_fixture, "a success after the deadline is not lost") {
  channel("email").deadline = 30s;
  queue->add("email");
  start();
  REQUIRE(adapter("email").held.size() == 1);
  pass(40s);
  REQUIRE(queue->attempts.size() == 1);
  CHECK(queue->attempts[0].result == "unknown_outcome");
  adapter("email").held.front()(outcome_of(outcome_kind::sent));
  settle();
  REQUIRE(queue->late.size() == 1);
  CHECK(queue->late[0].attempt.job_id == queue->attempts[0].attempt.job_id);
}

TEST_CASE_METHOD(delivery_fixture, "P-14: one channel's failure sends nothing again on another") {
  channel("email");
  channel("webhook");
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::sent); };
  adapter("webhook").rule = [](const send_request&) { return outcome_of(outcome_kind::retry); };
  queue->add("email");
  queue->add("webhook");
  start();
  pass(1h, 1s);
  CHECK(adapter("email").seen.size() == 1);
  CHECK(adapter("webhook").seen.size() == 6);
}

TEST_CASE_METHOD(delivery_fixture, "D-C5: exactly as many sends as the policy says, at its times") {
  channel("email");
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::retry); };
  queue->add("email");
  start();
  pass(2h);
  const auto& seen = adapter("email").seen;
  REQUIRE(seen.size() == 6);
  const caf::timespan waits[] = {5s, 30s, 2min, 10min, 30min};
  for (size_t i = 0; i < 5; ++i) {
    CHECK(seen[i + 1].at - seen[i].at >= waits[i]);
    CHECK(seen[i + 1].at - seen[i].at <= waits[i] + 2s);
    CHECK(seen[i + 1].request.attempt_no == seen[i].request.attempt_no + 1);
  }
  CHECK(queue->count(next_step::dead) == 1);
}

TEST_CASE_METHOD(delivery_fixture, "P-24: a refusal for good is tried once") {
  channel("email");
  adapter("email").rule = [](const send_request&) { return outcome_of(outcome_kind::permanent); };
  queue->add("email", 3);
  start();
  pass(1h, 1s);
  CHECK(adapter("email").seen.size() == 3);
  CHECK(queue->count(next_step::dead) == 3);
}

} // namespace
} // namespace notify
