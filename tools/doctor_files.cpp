#include "tools/channel_checks.hpp"
#include "tools/configured_files.hpp"
#include "tools/doctor.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace notify::doctor {

namespace {

namespace fs = std::filesystem;

/// One finding for each line of an error that has several.
void add_problems(const caf::error& err, const std::string& check, const std::string& fix,
                  findings& out) {
  std::istringstream lines{problem_text(err)};
  for (std::string line; std::getline(lines, line);)
    out.push_back({verdict::failure, check, line, fix});
}

bool names_a_secret(std::string_view option) {
  constexpr std::array<std::string_view, 5> ends{"password-file", "key-file", "token-file",
                                                 "tokens-file", "secrets-file"};
  for (auto end : ends)
    if (option.ends_with(end))
      return true;
  return false;
}

void examine_secret(const std::string& option, const std::string& path, findings& out) {
  std::error_code failure;
  auto mode = fs::status(path, failure).permissions();
  if (failure || !std::ifstream{path}) {
    out.push_back({verdict::failure, "secrets", option + ": cannot read " + path,
                   "let the service's user read it: chown USER " + path});
    return;
  }
  constexpr auto others = fs::perms::group_write | fs::perms::others_all;
  if ((mode & others) != fs::perms::none)
    out.push_back({verdict::warning, "secrets",
                   option + ": everyone on this machine can read or replace " + path,
                   "chmod 600 " + path});
  else
    out.push_back({verdict::ok, "secrets", option + ": " + path, {}});
}

} // namespace

void examine_files(const settings& config, findings& out) {
  const auto& service = config.service();
  if (auto err = check_channels(service))
    add_problems(err, "channels", "repair the channel's section; see docs/configuration.md", out);
  else
    out.push_back({verdict::ok,
                   "channels",
                   std::to_string(service.channels.size()) + " with a provider",
                   {}});
  if (auto err = check_configured_files(service))
    add_problems(err, "routes", "repair the file; notifyd check tells the same", out);
  else
    out.push_back({verdict::ok,
                   "routes",
                   service.routes_file + " fits the templates in " + service.templates_folder,
                   {}});
  for (const auto& [option, path] : config.named_paths())
    if (names_a_secret(option))
      examine_secret(option, path, out);
}

} // namespace notify::doctor
