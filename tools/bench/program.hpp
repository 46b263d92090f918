#pragma once

#include "messages/error.hpp"
#include "tools/command_line.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <span>
#include <string>
#include <utility>

namespace notify::bench {

/// Reads options that are whole numbers from 1 on, and checks that those without a fallback are
/// there.
inline caf::error read_options(const cli::arguments& args,
                               std::initializer_list<std::pair<const char*, uint64_t*>> numbers,
                               std::initializer_list<const char*> needed) {
  for (auto [name, target] : numbers) {
    auto number = cli::number(args, name, 1, 100'000'000);
    if (!number)
      return number.error();
    *target = static_cast<uint64_t>(*number);
  }
  for (const auto* name : needed)
    if (!args.has(name))
      return caf::make_error(ec::invalid_config, "--" + std::string{name} + " is missing");
  return caf::none;
}

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
