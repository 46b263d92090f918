#include "messages/error.hpp"
#include "tools/doctor.hpp"
#include "tools/notifyctl.hpp"
#include "tools/notifyctl_options.hpp"
#include "tools/notifyctl_settings.hpp"
#include "tools/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>

namespace notify {

namespace doctor {

verdict worst_of(const findings& list) {
  auto result = verdict::ok;
  for (const auto& x : list)
    result = std::max(result, x.what);
  return result;
}

std::string to_string(verdict x) {
  switch (x) {
  case verdict::ok:
    return "ok";
  case verdict::warning:
    return "warn";
  case verdict::failure:
    return "fail";
  }
  return "fail";
}

} // namespace doctor

namespace ctl {

namespace {

using namespace doctor;

constexpr size_t line_limit = 1000; ///< Bytes.

constexpr std::array doctor_options = {
    config_option,   brokers_option,
    postgres_option, cli::option{"timeout", "SECONDS", "for each answer from the network", "5"},
    json_option,
};

findings examine(const cli::arguments& from, std::chrono::seconds timeout) {
  findings result;
  auto config = read_settings(from);
  if (!config) {
    std::istringstream lines{problem_text(config.error())};
    for (std::string line; std::getline(lines, line);)
      result.push_back({verdict::failure, "settings", line,
                        "repair it; docs/configuration.md has every option"});
    return result;
  }
  auto named = from.has("config") || process_environment()("NOTIFYD_CONFIG");
  if (named)
    result.push_back({verdict::ok, "settings", "they can be read", {}});
  else
    result.push_back({verdict::warning, "settings", "no file is named: these are the defaults",
                      "say --config=FILE, the one that notifyd is started with"});
  examine_files(**config, result);
  examine_database(**config, result);
  examine_kafka(**config, timeout, result);
  examine_machine(**config, timeout, result);
  return result;
}

void print(const findings& list, streams io) {
  constexpr size_t width = 16;
  for (const auto& x : list) {
    auto check = x.check;
    check.resize(std::max(check.size() + 1, width), ' ');
    auto label = to_string(x.what);
    label.resize(6, ' ');
    io.out << label << check << printable_line(x.text, line_limit) << '\n';
    if (!x.fix.empty())
      io.out << "      -> " << printable_line(x.fix, line_limit) << '\n';
  }
}

void print_json(const findings& list, streams io) {
  boost::json::array checks;
  for (const auto& x : list)
    checks.push_back(boost::json::object{
        {"check", x.check}, {"result", to_string(x.what)}, {"text", x.text}, {"fix", x.fix}});
  io.out << boost::json::serialize(
      boost::json::object{{"result", to_string(worst_of(list))}, {"checks", std::move(checks)}})
         << '\n';
}

int run_doctor(const cli::arguments& from, streams io) {
  auto timeout = cli::number(from, "timeout", 1, 3600);
  if (!timeout)
    return usage_error(timeout.error(), "doctor", io);
  auto list = examine(from, std::chrono::seconds{*timeout});
  if (from.has("json"))
    print_json(list, io);
  else
    print(list, io);
  switch (worst_of(list)) {
  case verdict::ok:
    return cli::success;
  case verdict::warning:
    return cli::warnings;
  case verdict::failure:
    return cli::failed;
  }
  return cli::failed;
}

constexpr std::array<command, 1> commands = {{
    {"doctor", "", "examine all that the service needs, and say how to repair it",
     R"(Settings, routes, templates, files with secrets, database, Kafka, clocks, ports, and the service if it
runs. Changes nothing. Exit code 0: all is well, 6: nothing but warnings, 1: something is broken.
)",
     R"(doctor --config=/etc/notifyd/notifyd.ini
doctor --config=/etc/notifyd/notifyd.ini --json
)",
     doctor_options, run_doctor},
}};

} // namespace

std::span<const command> doctor_commands() {
  return commands;
}

} // namespace ctl

} // namespace notify
