#pragma once

#include "tools/notifyctl.hpp"

#include <span>
#include <string>

namespace notify::ctl {

/// What `notifyctl --help` says.
std::string overview();

/// What `--help` says about one command.
std::string help_of(const command& x);

/// The same for all commands that share their first word.
std::string help_of(std::span<const command> group);

} // namespace notify::ctl
