#pragma once

#include "messages/registration.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>

#include <catch2/catch.hpp>

namespace notify::test {

/// Runs actors on CAF's testing scheduler: nothing happens until the test says so, and time only
/// moves when the test moves it.
struct actor_fixture {
  /// Lets every actor work until no message is left.
  void settle() {
    while (scheduler.try_run_once()) {
    }
  }

  /// Moves the clock and delivers what became due.
  void advance(caf::timespan amount) {
    scheduler.clock().advance_time(amount);
    settle();
  }

  /// Sends a request and returns its answer, or the error instead.
  template <class Reply, class Handle, class... Args>
  caf::expected<Reply> ask(const Handle& actor, Args&&... args) {
    auto pending = self->request(actor, caf::infinite, std::forward<Args>(args)...);
    settle();
    caf::expected<Reply> answer{caf::error{}};
    pending.receive([&](const Reply& reply) { answer = reply; },
                    [&](caf::error& err) { answer = std::move(err); });
    return answer;
  }

  /// Ends an actor and lets it go.
  template <class Handle>
  void stop(const Handle& actor) {
    self->send_exit(actor, caf::exit_reason::user_shutdown);
    settle();
  }

  struct config : caf::actor_system_config {
    config() {
      register_messages(*this);
      set("scheduler.policy", caf::atom("testing"));
    }
  };

  config cfg;
  caf::actor_system system{cfg};
  caf::scoped_actor self{system};
  caf::scheduler::test_coordinator& scheduler =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
};

} // namespace notify::test
