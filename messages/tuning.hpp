#pragma once

#include <caf/meta/type_name.hpp>

#include <cstdint>
#include <string>

namespace notify {

/// To the supervisor of a channel's workers: how many there are to be from now on.
struct resize_pool {
  uint32_t size = 0;
};

/// To a worker: the pool is smaller now. It ends once it has no job.
struct retire_worker {};

/// To the dispatcher and the channel's provider client: new limits, from now on.
struct tune_channel {
  std::string channel;
  uint32_t slots = 0;
  uint32_t prefetch = 0;
  uint32_t concurrency = 0; ///< Most sends on the wire at once; never 0.
  double rate = 0;          ///< Most sends a second in all processes together; 0: no limit.
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, resize_pool& x) {
  return f(caf::meta::type_name("resize_pool"), x.size);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, retire_worker&) {
  return f(caf::meta::type_name("retire_worker"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, tune_channel& x) {
  return f(caf::meta::type_name("tune_channel"), x.channel, x.slots, x.prefetch, x.concurrency,
           x.rate);
}

} // namespace notify
