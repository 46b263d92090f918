#include "http/auth.hpp"
#include "http/server_identity.hpp"
#include "tools/arguments.hpp"
#include "tools/commands.hpp"
#include "tools/configured_files.hpp"
#include "tools/outcome_reference.hpp"
#include "tools/reference.hpp"
#include "tools/settings.hpp"

#include <iostream>
#include <string>
#include <vector>

// The service's program: reads the command line and the settings, then does one command.

namespace {

using namespace notify;

int end_with(exit_code code) {
  // What could not be written, e.g. to a full disk, is a failure: `check > file` must not lie.
  std::cout.flush();
  if (code == exit_code::ok && !std::cout)
    code = exit_code::failure;
  return static_cast<int>(code);
}

exit_code refuse(const caf::error& err) {
  std::cerr << problem_text(err) << '\n';
  return exit_code::usage;
}

/// What the settings name has to be there and to fit, the port's own files included.
caf::error check_files(const settings& config) {
  if (auto err = check_named(config.service()))
    return err;
  if (!config.service().roles.http)
    return caf::none;
  if (auto tokens = http::read_tokens(config.http()); !tokens)
    return tokens.error();
  if (auto identity = http::load_server_identity(config.http()); !identity)
    return identity.error();
  return caf::none;
}

/// Prints the settings even if the files that they name are not right: that is what to look at.
exit_code check_command(const settings& config) {
  std::cout << config.dump();
  if (auto err = check_files(config))
    return refuse(err);
  return exit_code::ok;
}

exit_code dispatch(const arguments& args, settings& config) {
  const auto& command = args.command;
  if (command == "check")
    return check_command(config);
  if (auto err = config.check_passwords())
    return refuse(err);
  if (command == "migrate")
    return args.status ? migrate_status_command(config) : migrate_command(config);
  if (auto err = check_files(config))
    return refuse(err);
  return run_command(config, args);
}

} // namespace

int main(int argc, char** argv) {
  setting_values defaults;
  auto options = make_options(defaults);
  auto args = read_arguments({argv + 1, argv + argc}, options);
  if (!args)
    return end_with(refuse(args.error()));
  if (args->help)
    std::cout << help_text(options);
  else if (args->version)
    std::cout << "notifyd " << NOTIFYD_VERSION << '\n';
  else if (args->command == "options")
    std::cout << (args->markdown ? options_markdown(options) : options_text(options));
  else if (args->command == "outcomes")
    std::cout << outcomes_markdown();
  else if (args->command == "token") {
    if (auto err = token_command(args->operands[0], args->operands[1]))
      return end_with(refuse(err));
  } else {
    auto config = settings::load(*args, process_environment());
    if (!config)
      return end_with(refuse(config.error()));
    return end_with(dispatch(*args, **config));
  }
  return end_with(exit_code::ok);
}
