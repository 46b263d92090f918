#include "messages/error.hpp"
#include "persistence/migrator.hpp"
#include "tools/commands.hpp"

#include <iostream>

namespace notify {

exit_code migrate_command(const settings& config) {
  auto report = migrate(config.service().postgres);
  if (!report) {
    std::cerr << "notifyd: the schema was not migrated: " << problem_text(report.error()) << '\n';
    auto code = exit_code_for(report.error());
    auto unreachable = report.error() == ec::storage_unavailable;
    return code == exit_code::failure && !unreachable ? exit_code::schema : code;
  }
  for (const auto& name : report->applied)
    std::cout << "applied " << name << '\n';
  std::cout << "the schema is at version " << report->to << '\n';
  return exit_code::ok;
}

} // namespace notify
