#pragma once

#include "actors/directory.hpp"
#include "actors/loop_age.hpp"
#include "actors/metrics.hpp"
#include "messages/actors.hpp"
#include "persistence/job_listener.hpp"
#include "persistence/job_signal.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace notify {

struct job_listener_config {
  std::vector<std::string> channels; ///< Those that are delivered here; empty: it only says.
  caf::timespan say_interval = std::chrono::milliseconds{100}; ///< Between two notices at least.
  caf::timespan probe_interval = std::chrono::seconds{5};      ///< Between two tests of the line.
  caf::timespan probe_timeout = std::chrono::seconds{5};       ///< Then the line is made anew.
  caf::timespan longest_wait = std::chrono::milliseconds{100}; ///< Of one turn in the connection.
  metrics_ptr metrics = private_metrics();

  bool listens() const { return !channels.empty(); }
};

struct job_listener_state {
  using clock_type = caf::actor_clock::clock_type;

  static constexpr const char* name = "job-listener";

  explicit job_listener_state(job_listener_actor::stateful_pointer<job_listener_state> selfptr)
      : self(selfptr) {}

  ~job_listener_state();

  void on_tick();
  actor_status status() const;

  // Details of the above.
  bool ensure_open();
  void say_what_is_new();
  void probe();
  bool hear();
  void take(const notice_line::notice& x, std::set<std::string>& due);
  void wake_dispatcher(const std::set<std::string>& due);
  void lost(const std::string& why);
  void set_up(bool is_up);
  caf::timespan patience() const;

  job_listener_actor::stateful_pointer<job_listener_state> self;
  job_listener_config config;
  notice_line_ptr line;
  std::shared_ptr<job_signal> signal;
  directory_ptr dir;
  bool up = false;      ///< The last test came back.
  bool is_bad = false;  ///< Told in the log; once for each outage.
  std::string expected; ///< The test that is under way; empty: none.
  clock_type::time_point probed_at;
  clock_type::time_point said_at;
  std::set<std::string> unsaid;
  caf::timespan backoff{0};
  loop_age heard;
  uint64_t notices = 0;
  uint64_t said = 0;
  uint64_t unheard = 0; ///< Notices that the server did not take.
  uint64_t connections = 0;
  std::string last_error;
};

/// Tells other processes that jobs were stored here, and the dispatcher when they tell us. Hints
/// only: whatever is lost, polling finds. A line that works hears its own tests; one that does not,
/// because it broke or because a pooler gives each statement another session, is made anew, and
/// each new one begins with a look for everything that is due.
///
/// Blocks for `longest_wait` in the connection: spawn detached.
job_listener_actor::behavior_type
job_listener(job_listener_actor::stateful_pointer<job_listener_state> self,
             const job_listener_config& config, const notice_line_ptr& line,
             const std::shared_ptr<job_signal>& signal, const directory_ptr& dir);

} // namespace notify
