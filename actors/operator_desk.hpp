#pragma once

#include "actors/dead_letter_replay.hpp"
#include "actors/directory.hpp"
#include "messages/operator_actors.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/read_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace notify {

struct operator_desk_config {
  std::string name = "operator-desk-0";
  std::set<std::string> channels; ///< Others cannot be paused.
  /// With more questions than this behind it, a desk refuses: whoever asked has gone by the time
  /// that it would answer.
  size_t most_waiting = 50;
  size_t most_letter_bytes = size_t{64} << 10u; ///< Shown of each part of a dead letter.
  size_t most_letter_headers = 100;
};

/// Where a desk looks and acts. Each desk has stores, and with them sessions, of its own.
struct operator_desk_stores {
  read_store_ptr reads;
  operator_store_ptr acts;
  dead_letter_store_ptr letters;
  ingest_store_ptr inbox;
};

struct operator_desk_state {
  static constexpr const char* name = "operator-desk";

  explicit operator_desk_state(operator_desk_actor::stateful_pointer<operator_desk_state> selfptr)
      : self(selfptr) {}

  /// Runs `work` unless too many wait, and counts what came of it.
  template <class Answer>
  caf::result<Answer> serve(const std::function<caf::expected<Answer>()>& work);

  caf::expected<operation_line> start(const start_operation& x);
  caf::expected<channel_pause_set> set_paused(const pause_channel& x);
  caf::expected<dead_letter_page> list_letters(const list_dead_letters& x);
  caf::expected<dead_letter_story> letter(int64_t id);
  caf::expected<dead_letter_replayed> replay(const replay_dead_letter& x);
  actor_status status() const;

  operator_desk_actor::stateful_pointer<operator_desk_state> self;
  operator_desk_config config;
  operator_desk_stores stores;
  replay_rules rules;
  directory_ptr dir;
  uint64_t answered = 0;
  uint64_t refused = 0; ///< Because too many waited.
  uint64_t failed = 0;  ///< Because of storage.
  std::string last_error;
};

/// Blocks in `stores`, so the caller spawns it with `caf::detached`.
operator_desk_actor::behavior_type
operator_desk(operator_desk_actor::stateful_pointer<operator_desk_state> self,
              const operator_desk_config& config, const operator_desk_stores& stores,
              const replay_rules& rules, const directory_ptr& dir);

/// Takes turns among the desks that are there; null if there is none. Thread-safe.
class operator_desks {
public:
  static constexpr size_t most = 16; ///< No process has more.

  explicit operator_desks(directory_ptr dir) : dir_(std::move(dir)) {}

  operator_desk_actor next();

private:
  directory_ptr dir_;
  std::atomic<size_t> turn_ = 0;
};

namespace actor_names {

inline constexpr const char* operation_runner = "operation-runner";

std::string operator_desk(size_t index);

} // namespace actor_names

} // namespace notify
