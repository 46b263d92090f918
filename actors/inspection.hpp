#pragma once

#include "actors/directory.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/duration.hpp>
#include <caf/expected.hpp>
#include <caf/optional.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <memory>
#include <string>

// The actor tree for programs on the same machine, through CAF's middleman on a loopback port.
//
// What is published is no inspector but a doorkeeper that looks up the one of the moment for each
// question. So a restart of the inspector neither closes the port nor makes a caller's handle void.

namespace notify {

/// What can be asked through the port. Less than the inspector's own interface: nobody may make an
/// actor of the service crash from outside.
using inspection_actor = caf::typed_actor<caf::replies_to<get_actors>::with<actor_tree>>;

/// Loads the middleman into a configuration that no actor system was made of yet, with a name of
/// our own that other applications of CAF, and other versions of these messages, do not answer to.
void enable_inspection(caf::actor_system_config& config);

/// Answers as the inspector that `dir` knows; `ec::stopping` while there is none.
inspection_actor::behavior_type inspection_door(inspection_actor::pointer self,
                                                const directory_ptr& dir);

/// An open port. Its actor and its socket are gone once this is: nothing of it keeps the actor
/// system alive.
class inspection_port {
public:
  /// Opens the port on 127.0.0.1; 0: any free one. `ec::listen_failed` if it is taken. The system's
  /// configuration went through `enable_inspection`.
  static caf::expected<std::unique_ptr<inspection_port>>
  open(caf::actor_system& system, const directory_ptr& dir, uint16_t port);

  ~inspection_port();

  inspection_port(const inspection_port&) = delete;
  inspection_port& operator=(const inspection_port&) = delete;

  uint16_t port() const { return port_; }

private:
  inspection_port(caf::actor_system& system, inspection_actor door, uint16_t port);

  caf::actor_system& system_;
  inspection_actor door_;
  uint16_t port_;
};

/// The other end: asks a service on this machine for its tree. Blocks.
class inspection_client {
public:
  /// Never waits for the service; `look` connects.
  inspection_client(std::string host, uint16_t port);
  ~inspection_client();

  inspection_client(const inspection_client&) = delete;
  inspection_client& operator=(const inspection_client&) = delete;

  /// The tree as it is now. `ec::not_found`: nothing listens there. `ec::invalid_request`:
  /// something does, but it is no service that speaks this version's messages. Connects again after
  /// an error.
  caf::expected<actor_tree> look(caf::duration timeout);

private:
  struct implementation;

  caf::error connect(caf::duration timeout);

  std::unique_ptr<implementation> impl_;
};

} // namespace notify
