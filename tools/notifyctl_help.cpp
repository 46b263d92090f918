#include "tools/notifyctl_help.hpp"

#include <algorithm>

namespace notify::ctl {

namespace {

std::string usage_line(const command& x) {
  auto result = "notifyctl " + std::string{x.path};
  if (!x.options.empty())
    result += " [OPTION...]";
  if (!x.operands.empty())
    result += " " + std::string{x.operands};
  return result;
}

std::string indented(std::string_view lines, std::string_view prefix) {
  std::string result;
  while (!lines.empty()) {
    auto end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    result += std::string{prefix} + std::string{lines.substr(0, end)};
    lines.remove_prefix(end);
  }
  return result;
}

std::string capitalized(std::string_view text) {
  std::string result{text};
  if (!result.empty() && result[0] >= 'a' && result[0] <= 'z')
    result[0] = static_cast<char>(result[0] - 'a' + 'A');
  return result;
}

std::string body_of(const command& x) {
  auto result = capitalized(x.summary) + ".\n";
  if (!x.details.empty())
    result += "\n" + std::string{x.details};
  if (!x.options.empty())
    result += "\n" + cli::describe(x.options);
  if (!x.examples.empty())
    result += "\nExamples:\n" + indented(x.examples, "  notifyctl ");
  return result;
}

} // namespace

std::string overview() {
  constexpr size_t column = 33;
  std::string result = R"(notifyctl: looks into the notification service and acts on it

Usage: notifyctl COMMAND [OPTION...]

)";
  for (const auto& x : all_commands()) {
    auto line = "  " + std::string{x.path};
    if (!x.operands.empty())
      line += " " + std::string{x.operands};
    line.resize(std::max(line.size() + 2, column), ' ');
    result += line + std::string{x.summary} + "\n";
  }
  result += "\nShort:\n";
  for (const auto& x : all_aliases())
    result += "  " + std::string{x.name} + " for " + std::string{x.path} + "\n";
  result += R"(
Each command has its own --help, with examples.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 its state does not allow it, 5 the token
is missing, unknown or not allowed to, 6 warnings only (doctor).

Examples:
  notifyctl doctor --config=/etc/notifyd/notifyd.ini
  notifyctl list --status=dead --limit=20
  notifyctl top --address=127.0.0.1:8090
)";
  return result;
}

std::string help_of(const command& x) {
  return "Usage: " + usage_line(x) + "\n\n" + body_of(x);
}

std::string help_of(std::span<const command> group) {
  std::string result;
  for (const auto& x : group)
    result += (result.empty() ? "Usage: " : "       ") + usage_line(x) + "\n";
  for (const auto& x : group)
    result += "\n" + std::string{x.path} + ":\n\n" + body_of(x);
  return result;
}

} // namespace notify::ctl
