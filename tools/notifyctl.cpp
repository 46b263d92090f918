#include "tools/notifyctl.hpp"

#include "messages/log.hpp"
#include "messages/nearest.hpp"

#include <array>
#include <ostream>
#include <string>
#include <vector>

namespace notify::ctl {

namespace {

constexpr auto help = R"(notifyctl: small acts around the notification service

Usage: notifyctl COMMAND [OPTION...]

  topics create NAME...  create Kafka topics that do not exist
  topics wait [NAME...]  wait until a broker answers and the topics can be used
  offsets [show]         show where a consumer group stands and how far it is behind
  offsets reset          move a group that has no members
  offsets skip           pass over one record, which becomes a dead letter
  replay                 read a part of a topic again, through the inbox
  produce                publish sample order events, or events from a file
  dead-letters list      show records that could not be processed
  dead-letters show ID   show all about one of them
  dead-letters replay    take them through the inbox again

Each command has its own --help.
Exit codes: 0 done, 1 failed, 2 wrong usage.

Examples:
  notifyctl topics create --partitions=4 orders.events.v1
  notifyctl produce --type=order.paid.v1 --email=anna@example.com
)";

struct command {
  std::string_view name;
  int (*run)(std::span<const char* const>, streams);
};

constexpr std::array<command, 5> commands = {{
    {"topics", run_topics},
    {"offsets", run_offsets},
    {"replay", run_replay},
    {"produce", run_produce},
    {"dead-letters", run_dead_letters},
}};

int unknown_command(std::string_view word, streams io) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const auto& x : commands)
    names.emplace_back(x.name);
  io.err << "notifyctl: unknown command '" << word << "'";
  if (auto other = nearest(word, names); !other.empty())
    io.err << ", did you mean '" << other << "'?";
  io.err << "\nSee: notifyctl --help\n";
  return cli::usage;
}

} // namespace

int usage_error(const caf::error& error, const char* name, streams io) {
  io.err << "notifyctl " << name << ": " << cli::message(error) << "\nSee: notifyctl " << name
         << " --help\n";
  return cli::usage;
}

int run(std::span<const char* const> words, streams io) {
  // Outages are told once, by the command that gave up.
  log::configure(log::level::error, log::format::text);
  if (words.empty()) {
    io.err << help;
    return cli::usage;
  }
  std::string_view first = words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    io.out << help;
    return cli::success;
  }
  for (const auto& x : commands)
    if (x.name == first)
      return x.run(words.subspan(1), io);
  return unknown_command(first, io);
}

} // namespace notify::ctl
