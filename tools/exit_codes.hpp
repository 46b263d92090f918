#pragma once

#include <caf/error.hpp>

#include <string>
#include <vector>

namespace notify {

/// How the program ends. Stable: service managers act on them.
enum class exit_code : int {
  ok = 0,
  failure = 1,
  usage = 2,
  schema = 3,
  shutdown_deadline = 4,
  gave_up = 5,
  second_signal = 130,
};

struct exit_code_info {
  exit_code code;
  std::string meaning;
};

/// Every code with its meaning, for `--help` and the documentation.
const std::vector<exit_code_info>& exit_codes();

/// The code that tells a service manager about `err`; `ok` for no error.
exit_code exit_code_for(const caf::error& err);

} // namespace notify
