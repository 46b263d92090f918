#pragma once

#include "messages/actors.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace notify {

struct inspector_config {
  caf::timespan answer_timeout = std::chrono::milliseconds{500};
  /// Of a larger pool only the first children are asked; the pool itself counts them all.
  size_t largest_listing = 64;
};

struct inspector_state {
  /// One round of questions. Lines are ordered by path, so answers may come in any order.
  struct survey {
    struct entry {
      std::vector<uint32_t> path; ///< Child indexes from the root.
      actor_line line;
    };
    caf::actor_clock::time_point begun;
    caf::typed_response_promise<actor_tree> promise;
    std::vector<entry> entries;
    size_t open = 0;
  };
  using survey_ptr = std::shared_ptr<survey>;

  static constexpr const char* name = "inspector";

  explicit inspector_state(inspector_actor::stateful_pointer<inspector_state> selfptr)
      : self(selfptr) {}

  caf::result<actor_tree> look();
  void ask_status(const survey_ptr& round, const std::vector<uint32_t>& path,
                  const child_info& child);
  void ask_children(const survey_ptr& round, const std::vector<uint32_t>& path,
                    const supervisor_actor& parent);
  void got_children(const survey_ptr& round, const std::vector<uint32_t>& path,
                    const child_list& list);
  void settle(const survey_ptr& round);
  void note_silence(survey& round);
  actor_status status() const;

  inspector_actor::stateful_pointer<inspector_state> self;
  inspector_config config;
  supervisor_actor root;
  uint64_t rounds = 0;
  /// Since when the actors that did not answer in the last round have not, by name.
  std::map<std::string, caf::actor_clock::time_point> silent_since;
};

/// Asks on demand only: nothing runs while nobody looks. `root` may end before the inspector.
inspector_actor::behavior_type inspector(inspector_actor::stateful_pointer<inspector_state> self,
                                         const inspector_config& config,
                                         const supervisor_actor& root);

} // namespace notify
