#pragma once

#include <caf/meta/type_name.hpp>

#include <cstdint>

namespace notify {

/// Asks the janitor for a pass right now, without its pauses.
struct clean_now {};

/// Internal timer of the janitor: the next batch, or the next pass. Stale if the generation is not
/// the current one.
struct janitor_tick {
  uint64_t generation = 0;
};

/// What the janitor deleted, in one pass or in its life.
struct janitor_report {
  uint64_t jobs = 0; ///< Sent and cancelled ones, each with its attempts.
  uint64_t dead_jobs = 0;
  uint64_t events = 0;
  uint64_t dead_letters = 0;
  uint64_t suppressions = 0;
  uint64_t operations = 0;  ///< Each with what it passed over.
  bool is_complete = false; ///< False if another process was cleaning.
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, clean_now&) {
  return f(caf::meta::type_name("clean_now"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, janitor_tick& x) {
  return f(caf::meta::type_name("janitor_tick"), x.generation);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, janitor_report& x) {
  return f(caf::meta::type_name("janitor_report"), x.jobs, x.dead_jobs, x.events, x.dead_letters,
           x.suppressions, x.operations, x.is_complete);
}

} // namespace notify
