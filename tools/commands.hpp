#pragma once

#include "tools/exit_codes.hpp"
#include "tools/settings.hpp"

namespace notify {

/// `notifyd run`: the service, until a signal or a failure ends it. `args` is what the settings
/// were read from, to read them again.
exit_code run_command(settings& config, const arguments& args);

/// `notifyd token`: makes a token. Its line for the file of tokens goes to standard output, the
/// token itself to standard error, so that `notifyd token NAME ROLE >> FILE` shows what to hand
/// over.
caf::error token_command(const std::string& name, const std::string& role);

/// `notifyd migrate`: the database's schema.
exit_code migrate_command(const settings& config);

/// `notifyd migrate --status`: where the schema stands, changing nothing. `exit_code::schema` if
/// there is something to do.
exit_code migrate_status_command(const settings& config);

} // namespace notify
