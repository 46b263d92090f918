#pragma once

#include "tools/option.hpp"

#include <caf/expected.hpp>

#include <optional>
#include <string>
#include <vector>

namespace notify {

/// A word that the program is told to act on.
struct command_info {
  std::string name;
  std::string description;
};

/// Every command, in the order of the help text.
const std::vector<command_info>& commands();

/// One `--section.name=text`.
struct setting_argument {
  std::string section;
  std::string name;
  std::string text;
};

/// How the program was called.
struct arguments {
  std::string command = "run";
  bool help = false;
  bool version = false;
  bool markdown = false;
  bool status = false;
  std::optional<std::string> config_file;
  std::vector<setting_argument> settings;
  std::vector<std::string> operands; ///< Of the command `token`: a name and a role.
};

/// Reads a command line without the program's name. Only names are checked here, not values. The
/// error (`ec::invalid_config`) names the nearest right word.
caf::expected<arguments> read_arguments(const std::vector<std::string>& words,
                                        option_list& options);

} // namespace notify
