#pragma once

#include "tools/command_line.hpp"

#include <iosfwd>
#include <span>

namespace notify::ctl {

/// Where a subcommand writes: results to `out`, everything for the person at the keyboard to `err`.
struct streams {
  std::ostream& out;
  std::ostream& err;
};

/// Runs `notifyctl` with these words (without the program's name); returns the exit code.
int run(std::span<const char* const> words, streams io);

/// `topics create` and `topics wait`.
int run_topics(std::span<const char* const> words, streams io);

/// `offsets`: where a consumer group stands, and moving it.
int run_offsets(std::span<const char* const> words, streams io);

/// `replay`: a part of a topic through the inbox once more.
int run_replay(std::span<const char* const> words, streams io);

/// `produce`: sample events, or the lines of a file.
int run_produce(std::span<const char* const> words, streams io);

/// `dead-letters list`, `show` and `replay`.
int run_dead_letters(std::span<const char* const> words, streams io);

/// Tells what is wrong with the command line and where help is.
int usage_error(const caf::error& error, const char* command, streams io);

} // namespace notify::ctl
