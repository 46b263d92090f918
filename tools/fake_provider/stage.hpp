#pragma once

#include "tools/fake_provider/idempotency.hpp"
#include "tools/fake_provider/journal.hpp"
#include "tools/fake_provider/protocols.hpp"
#include "tools/fake_provider/script.hpp"
#include "tools/fake_provider/waiting_room.hpp"

#include <cstddef>

namespace notify::fake {

/// What all connections share. Only touched on the provider's own thread.
struct stage {
  accounts known;
  script rules;
  journal log;
  idempotency keys;
  waiting_room room;
  size_t connections = 0; ///< Open on the providers' ports.
};

} // namespace notify::fake
