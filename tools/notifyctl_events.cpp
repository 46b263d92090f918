#include "tools/api_pages.hpp"
#include "tools/notification_text.hpp"

#include <array>

namespace notify::ctl {

namespace {

int show(const cli::arguments& from, streams io) {
  constexpr auto name = "events show";
  if (from.rest.size() != 1)
    return usage_error(refuse("which event? Its id is a word of its own"), name, io);
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  auto answer = (*client)->get("/api/v1/events/" + path_part(from.rest.front()));
  return show_answer(from, io, name, answer, event_page);
}

constexpr std::array<command, 1> commands = {{
    {"events show", "ID", "show an event, its notifications and their attempts", "",
     "events show 7b7e3f4c-52f3-4c5b-9a0a-8a3a1d2f6c11\n", api_options, show},
}};

} // namespace

std::span<const command> events_commands() {
  return commands;
}

} // namespace notify::ctl
