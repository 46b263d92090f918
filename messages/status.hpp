#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/meta/type_name.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace notify {

/// Asks any actor how it is.
struct get_status {};

/// An actor's own account of itself.
struct actor_status {
  std::string name;
  std::string state;    ///< One word for people, e.g. `idle`, `sending`, `waiting for storage`.
  uint64_t mailbox = 0; ///< Messages that wait behind this one.
  uint64_t processed = 0;
  /// Milliseconds since its loop last did what it is for, e.g. since a claim's statement succeeded;
  /// negative: never yet, or it has no loop.
  int64_t since_success_ms = -1;
  std::string last_error;
  std::map<std::string, int64_t> counters; ///< Further numbers, by stable names.
};

/// Makes the receiver throw, to see its supervisor at work.
struct crash_now {
  std::string reason;
};

/// Internal timer of a supervisor. Stale if the child's incarnation is another one by now.
struct restart_child {
  uint32_t child = 0;
  uint64_t incarnation = 0;
};

/// Internal timer of a supervisor: the child that it is stopping had its time.
struct stop_timeout {
  uint32_t child = 0;
};

/// Asks a supervisor for its children.
struct get_children {};

/// One child of a supervisor.
struct child_info {
  std::string name;
  uint64_t restarts = 0;
  bool is_supervisor = false;
  caf::strong_actor_ptr handle; ///< Null while it waits for its restart.
};

struct child_list {
  std::vector<child_info> children;
};

/// Asks the inspector for the whole tree.
struct get_actors {};

/// The tree in depth-first order; `depth` 0 is the root supervisor.
struct actor_line {
  uint32_t depth = 0;
  uint64_t restarts = 0;
  bool answered = false; ///< False if it did not answer in time: busy, or between two restarts.
  int64_t silent_ms = 0; ///< For how long it has not answered, as far as anybody asked.
  actor_status status;
};

struct actor_tree {
  std::vector<actor_line> lines;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_status&) {
  return f(caf::meta::type_name("get_status"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, actor_status& x) {
  return f(caf::meta::type_name("actor_status"), x.name, x.state, x.mailbox, x.processed,
           x.since_success_ms, x.last_error, x.counters);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, crash_now& x) {
  return f(caf::meta::type_name("crash_now"), x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, restart_child& x) {
  return f(caf::meta::type_name("restart_child"), x.child, x.incarnation);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, stop_timeout& x) {
  return f(caf::meta::type_name("stop_timeout"), x.child);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_children&) {
  return f(caf::meta::type_name("get_children"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, child_info& x) {
  return f(caf::meta::type_name("child_info"), x.name, x.restarts, x.is_supervisor, x.handle);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, child_list& x) {
  return f(caf::meta::type_name("child_list"), x.children);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_actors&) {
  return f(caf::meta::type_name("get_actors"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, actor_line& x) {
  return f(caf::meta::type_name("actor_line"), x.depth, x.restarts, x.answered, x.silent_ms,
           x.status);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, actor_tree& x) {
  return f(caf::meta::type_name("actor_tree"), x.lines);
}

} // namespace notify
