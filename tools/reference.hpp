#pragma once

#include "tools/option.hpp"

#include <string>

// The options for readers: all of it comes from the one table of options.

namespace notify {

/// `notifyd --help`.
std::string help_text(const option_list& options);

/// `notifyd options`: one line per option.
std::string options_text(const option_list& options);

/// `notifyd options --markdown`: docs/configuration.md.
std::string options_markdown(const option_list& options);

} // namespace notify
