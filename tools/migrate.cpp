#include "messages/error.hpp"
#include "persistence/migrator.hpp"
#include "tools/commands.hpp"

#include <iostream>
#include <string>

namespace notify {

namespace {

exit_code report(const std::string& what, const caf::error& err) {
  std::cerr << "notifyd: " << what << ": " << problem_text(err) << '\n';
  auto code = exit_code_for(err);
  auto unreachable = err == ec::storage_unavailable;
  return code == exit_code::failure && !unreachable ? exit_code::schema : code;
}

} // namespace

exit_code migrate_command(const settings& config) {
  auto done = migrate(config.service().postgres);
  if (!done)
    return report("the schema was not migrated", done.error());
  for (const auto& name : done->applied)
    std::cout << "applied " << name << '\n';
  std::cout << "the schema is at version " << done->to << '\n';
  return exit_code::ok;
}

exit_code migrate_status_command(const settings& config) {
  auto state = schema_state(config.service().postgres);
  if (!state)
    return report("the schema does not fit", state.error());
  std::cout << "version " << state->version << "\nwanted " << state->wanted << '\n';
  for (const auto& name : state->pending)
    std::cout << "pending " << name << '\n';
  if (state->pending.empty())
    return exit_code::ok;
  std::cerr << "run 'notifyd migrate'\n";
  return exit_code::schema;
}

} // namespace notify
