#include "actors/inspection.hpp"

#include "messages/error.hpp"
#include "messages/registration.hpp"

#include <caf/actor_cast.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>

#include <set>
#include <utility>

namespace notify {

namespace {

struct client_config : caf::actor_system_config {
  client_config() {
    register_messages(*this);
    enable_inspection(*this);
    set("scheduler.max-threads", 2);
  }
};

} // namespace

struct inspection_client::implementation {
  implementation(std::string to_host, uint16_t to_port) : host(std::move(to_host)), port(to_port) {}

  std::string host;
  uint16_t port;
  client_config config{};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  inspection_actor service{};

  std::string where() const { return host + ":" + std::to_string(port); }

  caf::error stranger() const {
    return caf::make_error(ec::invalid_request,
                           where()
                               + " is something else, or notifyd of another version: use the "
                                 "notifyctl that came with it");
  }

  caf::error nobody() const {
    return caf::make_error(ec::not_found, "nothing answers at " + where()
                                              + ": is notifyd running there, with inspection.port "
                                                "set?");
  }
};

inspection_client::inspection_client(std::string host, uint16_t port)
    : impl_(std::make_unique<implementation>(std::move(host), port)) {}

inspection_client::~inspection_client() = default;

caf::error inspection_client::connect(caf::duration timeout) {
  auto& x = *impl_;
  caf::error result;
  caf::strong_actor_ptr found;
  std::set<std::string> interface;
  x.self->request(x.system.middleman().actor_handle(), timeout, caf::connect_atom_v, x.host, x.port)
      .receive(
          [&](const caf::node_id&, caf::strong_actor_ptr& actor, std::set<std::string>& types) {
            found = std::move(actor);
            interface = std::move(types);
          },
          [&](caf::error& err) {
            // Only a connection that was never made means that there is nobody.
            result = err == caf::sec::cannot_connect_to_node ? x.nobody() : x.stranger();
          });
  if (result)
    return result;
  if (!found || !x.system.assignable<inspection_actor>(interface))
    return x.stranger();
  x.service = caf::actor_cast<inspection_actor>(found);
  return caf::none;
}

caf::expected<actor_tree> inspection_client::look(caf::duration timeout) {
  auto& x = *impl_;
  if (!x.service)
    if (auto err = connect(timeout))
      return err;
  caf::expected<actor_tree> result{caf::error{}};
  x.self->request(x.service, timeout, get_actors{})
      .receive([&](actor_tree& tree) { result = std::move(tree); },
               [&](caf::error& err) { result = std::move(err); });
  if (result)
    return result;
  x.service = inspection_actor{};
  const auto& err = result.error();
  if (err == caf::sec::request_timeout)
    return caf::make_error(ec::stopping, x.where() + " does not answer in time");
  if (err == caf::sec::request_receiver_down || err == caf::sec::unexpected_message)
    return caf::make_error(ec::stopping, x.where() + " has gone away");
  if (err == ec::stopping)
    return caf::make_error(ec::stopping, "the service's inspector is between two restarts");
  return result;
}

} // namespace notify
