#pragma once

#include <caf/config_value.hpp>
#include <caf/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// One `name=value` of a configuration file.
struct ini_entry {
  std::string section; ///< `global` if it stands before the first section.
  std::string name;    ///< Empty: the section's own header.
  caf::config_value value;
  int32_t line = 0;
};

/// Reads a configuration file in the syntax of CAF 0.17.6, by CAF's own grammar, but keeps what
/// CAF forgets: lines, double entries, empty sections. Windows line ends are accepted. The error
/// has the line and column of what cannot be read.
caf::expected<std::vector<ini_entry>> read_ini(const std::string& text);

} // namespace notify
