#include "actors/service.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using namespace std::chrono_literals;

struct health_fixture {
  health_fixture() {
    config.delivery.poll_interval = 1s;
    add("root", "running");
    add(actor_names::stats_collector, "running");
    add(actor_names::dispatcher, "running");
    add(actor_names::consumer, "assigned");
  }

  void add(const std::string& name, const std::string& state) {
    actor_line line;
    line.answered = true;
    line.status.name = name;
    line.status.state = state;
    line.status.since_success_ms = 20;
    tree.lines.push_back(std::move(line));
  }

  actor_status& of(const std::string& name) {
    for (auto& line : tree.lines)
      if (line.status.name == name)
        return line.status;
    throw std::logic_error{name};
  }

  health_check check(const std::string& name) {
    for (auto& x : judge_health(config, tree).checks)
      if (x.check == name)
        return x;
    throw std::logic_error{name};
  }

  bool ready() { return judge_health(config, tree).ready; }

  service_config config;
  actor_tree tree;
};

TEST_CASE_METHOD(health_fixture, "a process whose loops turn is ready") {
  CHECK(ready());
  CHECK(judge_health(config, tree).live);
  CHECK(check("claims").since_success_ms == 20);
}

TEST_CASE_METHOD(health_fixture,
                 "D-E2: a dispatcher that answers but does not claim is not ready") {
  of(actor_names::dispatcher).since_success_ms = 60'000;
  CHECK_FALSE(ready());
  CHECK(judge_health(config, tree).live);
  CHECK(check("claims").reason == "has done nothing for 60000 ms");
  of(actor_names::dispatcher).since_success_ms = -1;
  CHECK(check("claims").reason == "has not begun yet");
  // A long rhythm is no silence.
  config.delivery.poll_interval = 1min;
  of(actor_names::dispatcher).since_success_ms = 60'000;
  CHECK(ready());
}

TEST_CASE_METHOD(health_fixture, "D-E2: a consumer that answers but does not poll is not ready") {
  of(actor_names::consumer).since_success_ms = 3'600'000;
  CHECK_FALSE(ready());
}

TEST_CASE_METHOD(health_fixture, "a database that takes no writes makes nobody ready") {
  of(actor_names::stats_collector).state = "read-only";
  CHECK_FALSE(ready());
  CHECK(check("database").reason == "read-only");
  // In a process without loops, too.
  config.roles.ingest = config.roles.deliver = false;
  CHECK_FALSE(ready());
  of(actor_names::stats_collector).state = "busy";
  CHECK(ready());
}

TEST_CASE_METHOD(health_fixture, "Q-B27: every loop tells when it did its work last") {
  add("result-writer-0", "running");
  add(actor_names::lease_reaper, "running");
  add(actor_names::janitor, "idle");
  add(actor_names::dead_letter_relay, "parked");
  add(actor_names::job_listener, "testing");
  of(actor_names::dead_letter_relay).last_error = "no topic";
  for (const auto* name : {"database", "claims", "kafka", "results", "leases", "retention",
                           "dead letters", "figures", "notices"})
    CHECK(check(name).since_success_ms == 20);
  // What a load balancer cannot help with is told, and is no reason to send work elsewhere.
  CHECK(ready());
  CHECK(check("dead letters").reason == "parked: no topic");
}

} // namespace
} // namespace notify
