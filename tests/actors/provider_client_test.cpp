#include "actors/provider_client.hpp"

#include "tests/support/actor_fixture.hpp"
#include "tests/support/probe.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;

/// Keeps every request until the test answers it.
class held_provider : public provider {
public:
  std::string name() const override { return "held"; }

  void send(send_request request, completion done) override {
    requests.push_back(std::move(request));
    open.push_back(std::move(done));
  }

  void stop() override { stopped = true; }

  std::vector<send_request> requests;
  std::vector<completion> open;
  bool stopped = false;
};

struct provider_client_fixture : test::actor_fixture {
  provider_client_fixture() {
    worker = test::spawn_probe<delivery_worker_actor>(system, log);
    provider_client_config own;
    own.channel = "email";
    own.concurrency = 2;
    client = system.spawn(provider_client, own, provider_ptr{adapter}, dir);
    settle();
  }

  ~provider_client_fixture() {
    stop(client);
    stop(worker);
    adapter->open.clear();
    dir->clear();
  }

  void ask_to_send(const uuid& job_id) {
    self->send(client,
               send_message{job_id, 1, "user@example.com", {"s", "t", "", "h"}, "key", worker});
    settle();
  }

  void finish(size_t index, outcome_kind kind) {
    outcome x;
    x.kind = kind;
    adapter->open.at(index)(x);
    settle();
  }

  std::shared_ptr<held_provider> adapter = std::make_shared<held_provider>();
  directory_ptr dir = std::make_shared<directory>();
  std::shared_ptr<test::received> log = std::make_shared<test::received>();
  delivery_worker_actor worker;
  provider_client_actor client;
};

TEST_CASE_METHOD(provider_client_fixture, "the adapter's answer goes to the worker that asked") {
  auto id = uuid::random();
  ask_to_send(id);
  REQUIRE(adapter->requests.size() == 1);
  CHECK(adapter->requests[0].recipient == "user@example.com");
  CHECK(adapter->requests[0].content.subject == "s");
  CHECK(log->answers.empty());
  finish(0, outcome_kind::sent);
  REQUIRE(log->answers.size() == 1);
  CHECK(log->answers[0].job_id == id);
  CHECK(log->answers[0].result.kind == outcome_kind::sent);
}

TEST_CASE_METHOD(provider_client_fixture,
                 "one attempt is one request, however often it is asked for") {
  auto id = uuid::random();
  ask_to_send(id);
  ask_to_send(id);
  CHECK(adapter->requests.size() == 1);
}

TEST_CASE_METHOD(provider_client_fixture,
                 "an adapter that keeps silent leaves an unknown outcome") {
  ask_to_send(uuid::random());
  advance(31s);
  CHECK(log->answers.empty());
  advance(2s);
  REQUIRE(log->answers.size() == 1);
  CHECK(log->answers[0].result.kind == outcome_kind::unknown);
  CHECK(log->answers[0].result.reason == "deadline_exceeded");
  finish(0, outcome_kind::retry);
  CHECK(log->answers.size() == 1);
  CHECK(ask<actor_status>(client, get_status{})->counters["late_answers"] == 1);
}

TEST_CASE_METHOD(provider_client_fixture, "a slow request holds up no other") {
  auto fast = uuid::random();
  ask_to_send(uuid::random());
  ask_to_send(fast);
  finish(1, outcome_kind::sent);
  REQUIRE(log->answers.size() == 1);
  CHECK(log->answers[0].job_id == fast);
}

TEST_CASE_METHOD(provider_client_fixture, "the adapter is told the deadline") {
  ask_to_send(uuid::random());
  CHECK(adapter->requests.at(0).deadline == caf::timespan{30s});
}

TEST_CASE_METHOD(provider_client_fixture, "more sends than the limit are handed back unsent") {
  ask_to_send(uuid::random());
  ask_to_send(uuid::random());
  auto third = uuid::random();
  ask_to_send(third);
  CHECK(adapter->requests.size() == 2);
  REQUIRE(log->answers.size() == 1);
  CHECK(log->answers[0].job_id == third);
  CHECK(log->answers[0].result.kind == outcome_kind::interrupted);
  finish(0, outcome_kind::sent);
  ask_to_send(third);
  CHECK(adapter->requests.size() == 3);
}

TEST_CASE_METHOD(provider_client_fixture, "stopping ends the adapter") {
  stop(client);
  CHECK(adapter->stopped);
}

} // namespace
} // namespace notify
