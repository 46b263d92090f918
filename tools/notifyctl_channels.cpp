#include "tools/api_pages.hpp"
#include "tools/json_text.hpp"
#include "tools/text_table.hpp"

#include <array>

namespace notify::ctl {

namespace {

constexpr const char* folder = "/api/v1/channels";

std::string channel_table(const boost::json::value& answer) {
  text_table table{{"CHANNEL"},    {"PROVIDER"},      {"SLOTS", true},
                   {"BUSY", true}, {"WAITING", true}, {"ON THE WIRE", true},
                   {"RATE", true}, {"BREAKER"},       {"PAUSED"},
                   {"BY"},         {"SINCE"}};
  for (const auto& x : items_of(member(answer, "items")))
    table.add({shown(x, "name"), shown(x, "provider"), shown(x, "slots"), shown(x, "busy"),
               shown(x, "waiting"), shown(x, "in_flight"), shown(x, "rate"), shown(x, "breaker"),
               shown(x, "paused"), shown(x, "paused_by"), shown_time(x, "paused_at")});
  return table.text();
}

std::string pause_text(const boost::json::value& x) {
  const auto& paused = member(x, "paused");
  const auto& changed = member(x, "changed");
  auto state = paused.is_bool() && paused.get_bool() ? "paused" : "not paused";
  auto before = changed.is_bool() && !changed.get_bool() ? ", as before\n" : "\n";
  return "channel " + shown(x, "channel") + " is " + state + before;
}

int list(const cli::arguments& from, streams io) {
  constexpr auto name = "channels list";
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  return show_answer(from, io, name, (*client)->get(folder), channel_table);
}

int act(const cli::arguments& from, streams io, const std::string& verb) {
  auto name = "channels " + verb;
  if (from.rest.size() != 1)
    return usage_error(refuse("which channel? Its name is a word of its own"), name, io);
  auto client = api_client::open(from, io);
  if (!client)
    return give_up(client.error(), name, io);
  auto answer =
      (*client)->post(std::string{folder} + "/" + path_part(from.rest.front()) + "/" + verb);
  return show_answer(from, io, name, answer, pause_text);
}

constexpr std::array<command, 3> commands = {{
    {"channels list", "", "show channels, their limits and how they are",
     "As the process that answers sees them; a pause holds in all processes.\n",
     "channels\nchannels list --json\n", api_options, list},
    {"channels pause", "NAME", "send nothing more on a channel until it is resumed",
     "In all processes and over restarts. What is on the wire is finished.\n",
     "channels pause email\n", api_options,
     [](const cli::arguments& from, streams io) { return act(from, io, "pause"); }},
    {"channels resume", "NAME", "end a pause", "", "channels resume email\n", api_options,
     [](const cli::arguments& from, streams io) { return act(from, io, "resume"); }},
}};

} // namespace

std::span<const command> channels_commands() {
  return commands;
}

} // namespace notify::ctl
