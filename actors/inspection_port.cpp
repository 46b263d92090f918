#include "actors/inspection.hpp"

#include "actors/crash_report.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <caf/io/middleman.hpp>
#include <caf/send.hpp>

#include <string>
#include <utility>
#include <vector>

namespace notify {

namespace {

constexpr const char* loopback = "127.0.0.1";

/// Changes with the messages that cross the port, so that no version misreads another one's.
constexpr const char* application = "notifyd-inspection-1";

} // namespace

void enable_inspection(caf::actor_system_config& config) {
  config.load<caf::io::middleman>();
  config.set("middleman.app-identifiers", std::vector<std::string>{application});
}

inspection_actor::behavior_type inspection_door(inspection_actor::pointer self,
                                                const directory_ptr& dir) {
  report_crashes(self);
  return {
      [self, dir](get_actors question) -> caf::result<actor_tree> {
        auto now = dir->inspector();
        if (!now)
          return caf::make_error(ec::stopping, std::string{"there is no inspector now"});
        return self->delegate(now, question);
      },
  };
}

caf::expected<std::unique_ptr<inspection_port>>
inspection_port::open(caf::actor_system& system, const directory_ptr& dir, uint16_t port) {
  auto door = system.spawn(inspection_door, dir);
  // Only whoever is on this machine; there is no login on this port.
  auto opened = system.middleman().publish(door, port, loopback, true);
  if (!opened) {
    caf::anon_send_exit(door, caf::exit_reason::user_shutdown);
    return caf::make_error(ec::listen_failed, "inspection.port " + std::to_string(port) + " on "
                                                  + loopback + " is taken or not allowed");
  }
  log::info("inspection", "listening", {{"address", loopback}, {"port", *opened}});
  return std::unique_ptr<inspection_port>{new inspection_port(system, door, *opened)};
}

inspection_port::inspection_port(caf::actor_system& system, inspection_actor door, uint16_t port)
    : system_(system), door_(std::move(door)), port_(port) {}

inspection_port::~inspection_port() {
  // Whether it was open still changes nothing.
  static_cast<void>(system_.middleman().unpublish(door_, port_));
  caf::anon_send_exit(door_, caf::exit_reason::user_shutdown);
}

} // namespace notify
