#pragma once

#include "actors/directory.hpp"
#include "actors/service_config.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/timespan.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace notify {

/// How to start one child. Called again after every crash, from within the supervisor; must not
/// throw.
struct child_spec {
  std::string name;
  std::function<caf::strong_actor_ptr(caf::local_actor&)> start;
  bool is_supervisor = false;
  caf::timespan stop_timeout = std::chrono::seconds{10}; ///< Then it is left behind.
};

/// How a supervisor ends its children.
enum class stop_order : uint8_t {
  reversed, ///< One after the other, the last started first; each may finish its work.
  together, ///< All at once; for a pool of equals.
};

/// What one supervisor is called and how it behaves.
struct supervisor_setup {
  std::string name;
  stop_order order = stop_order::reversed;
  supervision_config policy;
  /// How to start the child with this number, if the children are a pool of equals that can become
  /// larger and smaller. Its children obey `retire_worker`.
  std::function<child_spec(size_t)> make_child = {};
};

struct supervisor_state {
  using clock_type = caf::actor_clock::clock_type;

  struct child {
    child_spec spec;
    caf::strong_actor_ptr handle; ///< Null while it waits for its restart, or has ended.
    caf::timespan delay;          ///< What the next crash has to wait.
    uint64_t incarnation = 0;
    clock_type::time_point started;
    bool retiring = false; ///< Was told to end when it has nothing to do, or has.
  };

  static constexpr const char* name = "supervisor";

  explicit supervisor_state(supervisor_actor::stateful_pointer<supervisor_state> selfptr)
      : self(selfptr) {}

  /// Children must not outlive a supervisor that crashed: its successor starts its own.
  ~supervisor_state();

  void start(child& x);
  void on_restart(const restart_child& timer);
  void on_down(const caf::down_msg& down);
  void on_stop_timeout(const stop_timeout& timer);

  /// Starts further children, or has the last ones end when they have nothing to do.
  void resize(const resize_pool& x);
  void on_retired(child& x);
  void trim();

  /// Begins to end the children; the supervisor quits with `reason` after the last one.
  void stop(const caf::error& reason);

  /// Ends the next child in order, or all; quits once none is left.
  void stop_next();
  void end_child(child& x);

  /// True if the crash of `x` used up the budget.
  bool over_budget();
  void schedule_restart(child& x);

  child_list children_list() const;
  actor_status status() const;

  supervisor_actor::stateful_pointer<supervisor_state> self;
  supervisor_setup setup;
  directory_ptr dir;
  std::vector<child> children;
  std::deque<clock_type::time_point> crashes;
  size_t wanted = 0; ///< How many children there are to be.
  uint64_t restarts = 0;
  std::string last_error;
  caf::error stop_reason;
  bool stopping = false;
};

/// One-for-one supervision with exponential backoff. Children are started in order and registered
/// in `dir` under their names. A child that ends without having been told to is a crash, whatever
/// its reason; more crashes than the budget allows end the supervisor with
/// `ec::too_many_restarts`, and `ec::kafka_fatal` ends it at once.
supervisor_actor::behavior_type
supervisor(supervisor_actor::stateful_pointer<supervisor_state> self, const supervisor_setup& setup,
           const std::vector<child_spec>& children, const directory_ptr& dir);

} // namespace notify
