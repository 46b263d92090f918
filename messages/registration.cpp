#include "messages/registration.hpp"

#include "messages/operator_type_ids.hpp"

#include <caf/actor_system_config.hpp>

namespace notify {

void register_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::notify>();
  config.add_message_types<caf::id_block::notify_operator>();
}

} // namespace notify
