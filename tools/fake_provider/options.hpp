#pragma once

#include "tools/fake_provider/provider.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace notify::fake {

/// The command line cannot be read; `what()` names the word.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct program_options {
  provider_config config;
  bool help = false;
};

/// Reads the words behind the program's name. Throws `usage_error`.
program_options read_options(const std::vector<std::string>& words);

/// What `--help` prints.
std::string help_text();

} // namespace notify::fake
