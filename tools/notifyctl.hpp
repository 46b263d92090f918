#pragma once

#include "tools/command_line.hpp"

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace notify::ctl {

/// Where a subcommand writes: results to `out`, everything for the person at the keyboard to `err`.
struct streams {
  std::ostream& out;
  std::ostream& err;
};

/// One thing that notifyctl does. Reading its words, `--help`, the overview, the completion script
/// and the test of docs/notifyctl.md all go by this.
struct command {
  std::string_view path;     ///< Its words, e.g. `offsets reset`.
  std::string_view operands; ///< What stands behind its options, e.g. `ID...`; empty: nothing may.
  std::string_view summary;  ///< For the overview; a part of a sentence.
  std::string_view details;  ///< Paragraphs for its help; each line ends with a line break.
  std::string_view examples; ///< Without `notifyctl`, a line each.
  std::span<const cli::option> options;
  int (*run)(const cli::arguments&, streams); ///< Returns the exit code.
};

/// A shorter way to say a command.
struct alias {
  std::string_view name;
  std::string_view path;
};

// Each file of commands has its part of the list.

std::span<const command> topics_commands();
std::span<const command> offsets_commands();
std::span<const command> replay_commands();
std::span<const command> produce_commands();
std::span<const command> dead_letters_commands();
std::span<const command> actors_commands();
std::span<const command> top_commands();
std::span<const command> notifications_commands();
std::span<const command> operations_commands();
std::span<const command> events_commands();
std::span<const command> channels_commands();
std::span<const command> service_commands();
std::span<const command> doctor_commands();
std::span<const command> completion_commands();

/// Every command, in the order of the overview.
const std::vector<command>& all_commands();

std::span<const alias> all_aliases();

/// Runs `notifyctl` with these words (without the program's name); returns the exit code.
int run(std::span<const char* const> words, streams io);

/// Tells what is wrong with the command line and where help is.
int usage_error(const caf::error& error, std::string_view path, streams io);

/// Tells why a command ended early: wrong usage, or a failure at run time. The exit code follows.
int give_up(const caf::error& error, std::string_view path, streams io);

/// A wrong wish, in words for a person.
caf::error refuse(std::string text);

} // namespace notify::ctl
