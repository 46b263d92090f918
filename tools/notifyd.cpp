#include "tools/arguments.hpp"
#include "tools/commands.hpp"
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

int complain(const caf::error& err) {
  std::cerr << problem_text(err) << '\n';
  return end_with(exit_code::usage);
}

exit_code with_usable_passwords(settings& config, exit_code (*command)(settings&)) {
  if (auto err = config.check_passwords()) {
    std::cerr << problem_text(err) << '\n';
    return exit_code::usage;
  }
  return command(config);
}

exit_code dispatch(const std::string& command, settings& config) {
  if (command == "check") {
    std::cout << config.dump();
    return exit_code::ok;
  }
#ifdef NOTIFYD_HAS_MIGRATE
  if (command == "migrate")
    return with_usable_passwords(config, [](settings& x) { return migrate_command(x); });
#endif
#ifdef NOTIFYD_HAS_RUN
  if (command == "run")
    return with_usable_passwords(config, run_command);
#endif
  std::cerr << "this build cannot do " << command << '\n';
  return exit_code::usage;
}

} // namespace

int main(int argc, char** argv) {
  setting_values defaults;
  auto options = make_options(defaults);
  auto args = read_arguments({argv + 1, argv + argc}, options);
  if (!args)
    return complain(args.error());
  if (args->help)
    std::cout << help_text(options);
  else if (args->version)
    std::cout << "notifyd " << NOTIFYD_VERSION << '\n';
  else if (args->command == "options")
    std::cout << (args->markdown ? options_markdown(options) : options_text(options));
  else {
    auto config = settings::load(*args, process_environment());
    if (!config)
      return complain(config.error());
    return end_with(dispatch(args->command, **config));
  }
  return end_with(exit_code::ok);
}
