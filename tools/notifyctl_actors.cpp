#include "actors/inspection.hpp"
#include "tools/actor_text.hpp"
#include "tools/inspection_address.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <chrono>
#include <ostream>

namespace notify::ctl {

namespace {

constexpr std::array actors_options = {
    address_option,
    config_option,
    cli::option{"timeout", "SECONDS", "give up after this time", "5"},
    json_option,
};

int actors(const cli::arguments& from, streams io) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return usage_error(timeout.error(), "actors", io);
  auto address = read_address(from);
  if (!address)
    return give_up(address.error(), "actors", io);
  inspection_client client{address->host, address->port};
  auto tree = client.look(caf::duration{std::chrono::seconds{*timeout}});
  if (!tree) {
    io.err << "notifyctl actors: " << cli::message(tree.error()) << '\n';
    return cli::failed;
  }
  if (from.has("json"))
    io.out << boost::json::serialize(to_json(*tree)) << '\n';
  else
    io.out << actor_table(*tree);
  return cli::success;
}

constexpr std::array<command, 1> commands = {{
    {"actors", "", "show the actors of a running service",
     R"(Asks the service itself, at inspection.port; it need not be able to reach its database. MAILBOX is
what waits for the actor, SILENT for how long it has not answered: it blocks, or it is between two
restarts.
)",
     R"(actors --address=127.0.0.1:8090
actors --config=/etc/notifyd/notifyd.ini --json
)",
     actors_options, actors},
}};

} // namespace

std::span<const command> actors_commands() {
  return commands;
}

} // namespace notify::ctl
