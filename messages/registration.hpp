#pragma once

namespace caf {
class actor_system_config;
}

namespace notify {

/// Makes every message of ours known to the actor system that `config` is for. Call it before the
/// system starts.
///
/// In a source of its own: for each message it makes the compiler write, read, print and copy it.
void register_messages(caf::actor_system_config& config);

} // namespace notify
