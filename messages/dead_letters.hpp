#pragma once

#include <caf/meta/type_name.hpp>

#include <cstdint>

namespace notify {

/// Records became dead letters: something is there to publish. A hint, never a promise.
struct dead_letters_stored {
  uint64_t count = 0;
};

/// Internal timer of the relay: look for dead letters to publish. Stale if the generation is not
/// the current one.
struct relay_tick {
  uint64_t generation = 0;
};

/// Internal timer of the relay: look for delivery reports.
struct reports_tick {
  uint64_t generation = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, dead_letters_stored& x) {
  return f(caf::meta::type_name("dead_letters_stored"), x.count);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, relay_tick& x) {
  return f(caf::meta::type_name("relay_tick"), x.generation);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reports_tick& x) {
  return f(caf::meta::type_name("reports_tick"), x.generation);
}

} // namespace notify
