#pragma once

#include <caf/expected.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Options of the small programs: `--name=value`, `--name value` and flags. The service itself has
// settings instead.

namespace notify::cli {

/// Exit codes of our programs.
enum exit_code : int {
  success = 0,
  failed = 1,
  usage = 2,
  not_found = 3,
  wrong_state = 4, ///< It exists, but what was asked cannot be done to it now.
  not_allowed = 5, ///< The service does not know the token, or it may not do this.
  warnings = 6,    ///< Nothing is broken, but something deserves a look.
};

/// One option as `--help` shows it.
struct option {
  std::string_view name;     ///< Without the dashes.
  std::string_view value;    ///< What stands after it; empty: a flag.
  std::string_view help;     ///< One line.
  std::string_view fallback; ///< Taken if the option is not given; empty: none.
};

/// What a command line said.
struct arguments {
  std::map<std::string, std::string, std::less<>> options; ///< Given ones and fallbacks.
  std::vector<std::string> rest;                           ///< In order, what is no option.

  bool has(std::string_view name) const { return options.contains(name); }

  /// The option's value, or empty.
  const std::string& at(std::string_view name) const;
};

/// Reads the words after the subcommand. `--help` and `-h` are always known. `ec::invalid_config`
/// names the word and, for an unknown option, the nearest known one.
caf::expected<arguments> parse(std::span<const char* const> words, std::span<const option> known);

/// An option's value as a number within [lowest, highest]; the error names the option.
caf::expected<int64_t> number(const arguments& from, std::string_view name, int64_t lowest,
                              int64_t highest);

/// The text between commas, empty parts left out.
std::vector<std::string> split_list(std::string_view text);

/// The lines of `--help` for these options.
std::string describe(std::span<const option> known);

/// The text of one of this file's errors, ready for a person.
std::string message(const caf::error& error);

} // namespace notify::cli
