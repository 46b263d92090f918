#include "messages/error.hpp"
#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/wait.hpp"

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <catch2/catch.hpp>

namespace notify::test {
namespace {

using namespace std::chrono_literals;

/// The children of a supervisor right now.
std::vector<child_info> children_of(running_pipeline& pipeline, const supervisor_actor& parent) {
  caf::scoped_actor self{pipeline.system()};
  std::vector<child_info> result;
  self->request(parent, 10s, get_children{})
      .receive([&](const child_list& x) { result = x.children; }, [](const caf::error&) {});
  return result;
}

/// Every actor of the tree but the root, supervisors included.
std::vector<child_info> all_actors(running_pipeline& pipeline, const supervisor_actor& parent) {
  std::vector<child_info> result;
  for (const auto& child : children_of(pipeline, parent)) {
    result.push_back(child);
    if (!child.is_supervisor || !child.handle)
      continue;
    auto below = all_actors(pipeline, caf::actor_cast<supervisor_actor>(child.handle));
    result.insert(result.end(), below.begin(), below.end());
  }
  return result;
}

void crash(running_pipeline& pipeline, const child_info& victim) {
  caf::scoped_actor self{pipeline.system()};
  self->send(caf::actor_cast<status_actor>(victim.handle), crash_now{"test"});
}

TEST_CASE("the service goes on when any of its actors crashes") {
  pipeline_fixture fixture;
  auto config = fixture.config();
  config.channels["email"].slots = 2;
  config.supervision.max_crashes = 1000;
  config.supervision.first_delay = 10ms;
  config.delivery.lease = 10s;
  config.channels["email"].deadline = 3s;
  config.delivery.heartbeat_interval = 2s;
  config.reaper.interval = 500ms;
  // Nothing of this is about a job that kills its workers.
  config.reaper.reclaim_cap = 1000;
  running_pipeline pipeline{config};
  auto victims = all_actors(pipeline, pipeline->root());
  // inspector, consumer, 2 inbox writers, dispatcher, pool, 2 workers, provider client, result
  // writer, reaper, janitor, dead letter relay, stats collector, job listener, operation runner,
  // operator desks
  REQUIRE(victims.size() == 16 + config.operators.desks);
  size_t events = 0;
  for (const auto& victim : victims) {
    INFO(victim.name);
    fixture.publish(fixture.events(20));
    events += 20;
    crash(pipeline, victim);
    fixture.publish(fixture.events(20));
    events += 20;
    CHECK(eventually([&] {
      for (const auto& x : all_actors(pipeline, pipeline->root()))
        if (x.name == victim.name)
          return x.handle != nullptr && x.handle != victim.handle;
      return false;
    }));
  }
  // A send that a crashed provider client took with it has an unknown outcome and waits its ten
  // minutes; every other notification is sent.
  auto settled = "select count(*) from notify.notifications where status = 'sent' or"
                 " (status = 'retry_wait' and last_error_class = 'unknown_outcome')";
  fixture.require_value(settled, std::to_string(events));
  CHECK(fixture.db.value("select count(*) from notify.notification_jobs")
        == std::to_string(events));
  CHECK_FALSE(pipeline->failure());
}

TEST_CASE("too many crashes end the service with the reason") {
  pipeline_fixture fixture;
  auto config = fixture.config();
  config.supervision.max_crashes = 3;
  config.supervision.first_delay = 1ms;
  running_pipeline pipeline{config};
  auto crash_reaper = [&] {
    for (const auto& x : children_of(pipeline, pipeline->root()))
      if (x.name == actor_names::lease_reaper && x.handle)
        crash(pipeline, x);
    return pipeline->wait(1ms);
  };
  REQUIRE(eventually(crash_reaper));
  CHECK(pipeline->failure() == ec::too_many_restarts);
  CHECK(render(pipeline->failure()).find("lease-reaper") != std::string::npos);
}

} // namespace
} // namespace notify::test
