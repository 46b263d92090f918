#pragma once

#include "tools/command_line.hpp"

#include <caf/expected.hpp>

#include <exception>
#include <iostream>
#include <span>
#include <string>

namespace notify::bench {

/// The frame of every benchmark's `main`: help, a clear error for a wrong command line, and an exit
/// code. `read` makes the setup from the arguments, `run` measures with it and may throw.
template <class Read, class Run>
int run_program(const std::string& name, const std::string& usage,
                std::span<const cli::option> options, std::span<const char* const> words, Read read,
                Run run) {
  auto args = cli::parse(words, options);
  if (args && args->has("help")) {
    std::cout << "Usage: " << name << ' ' << usage << "\n\n" << cli::describe(options);
    return cli::success;
  }
  auto setup = args ? read(*args) : decltype(read(*args)){args.error()};
  if (!setup) {
    std::cerr << cli::message(setup.error()) << '\n';
    return cli::usage;
  }
  try {
    run(*setup);
    return cli::success;
  } catch (const std::exception& x) {
    std::cerr << '\n' << name << ": " << x.what() << '\n';
    return cli::failed;
  }
}

} // namespace notify::bench
