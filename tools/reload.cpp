#include "tools/reload.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"
#include "tools/configured_files.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace notify {

namespace {

constexpr const char* component = "notifyd";

/// One line for each problem: together they are what has to be repaired.
void refuse(const caf::error& err) {
  std::istringstream lines{problem_text(err)};
  for (std::string line; std::getline(lines, line);)
    log::error(component, "settings not reloaded, those before stay in effect",
               {{"problem", line}});
}

boost::json::array as_json(const std::vector<std::string>& lines) {
  return boost::json::array(lines.begin(), lines.end());
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const auto& x : words)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

} // namespace

bool is_reloadable(const std::string& option_name) {
  constexpr std::array<std::string_view, 5> options{"service.routes-file",
                                                    "service.templates-folder", "http.tokens-file",
                                                    "logging.level", "logging.format"};
  constexpr std::array<std::string_view, 4> of_channels{".slots", ".prefetch", ".concurrency",
                                                        ".rate"};
  auto is_channels = [&](std::string_view suffix) {
    return option_name.starts_with("channel-") && option_name.ends_with(suffix);
  };
  return std::find(options.begin(), options.end(), option_name) != options.end()
         || std::any_of(of_channels.begin(), of_channels.end(), is_channels);
}

reloader::reloader(arguments args, const settings& at_start)
    : args_(std::move(args)), at_start_(at_start), logging_(at_start.logging()) {}

void reloader::reload(service& running, http::gatekeeper* keeper) {
  log::info(component, "reading the settings again");
  auto next = settings::load(args_, process_environment());
  if (!next)
    return refuse(next.error());
  if (auto err = (*next)->check_passwords())
    return refuse(err);
  if (auto err = check_named((*next)->service()))
    return refuse(err);
  auto tokens = http::read_tokens((*next)->http());
  if (!tokens)
    return refuse(tokens.error());
  auto changes = running.reload((*next)->service());
  if (!changes)
    return refuse(changes.error());
  auto applied = std::move(*changes);
  if (keeper != nullptr)
    apply_tokens(std::move(*tokens), **next, *keeper, applied);
  apply_logging(**next, applied);
  auto waiting = need_restart(**next);
  for (const auto& x : applied)
    log::info(component, "setting applied", {{"change", x}});
  if (!waiting.empty())
    log::warning(component, "changed settings need a restart", {{"options", joined(waiting)}});
  log::info(component, "settings reloaded",
            {{"applied", applied.size()}, {"need_restart", waiting.size()}});
  boost::json::object details{{"applied", as_json(applied)}, {"need_restart", as_json(waiting)}};
  running.audit(
      {"SIGHUP", "settings.reload", at_start_.service().instance, boost::json::serialize(details)});
}

void reloader::apply_tokens(http::token_list tokens, const settings& next, http::gatekeeper& keeper,
                            std::vector<std::string>& changes) const {
  // With the other kind of login come tokens that count for nothing now.
  if (next.http().auth != at_start_.http().auth)
    return;
  auto count = tokens.size();
  if (keeper.replace_tokens(std::move(tokens)))
    changes.push_back("http.tokens-file: " + std::to_string(count) + " tokens");
}

void reloader::apply_logging(const settings& next, std::vector<std::string>& changes) {
  const auto& now = next.logging();
  if (now.level != logging_.level)
    changes.push_back("logging.level");
  if (now.format != logging_.format)
    changes.push_back("logging.format");
  logging_ = now;
  log::configure(now.level, now.format);
}

std::vector<std::string> reloader::need_restart(const settings& next) const {
  auto result = next.changes_since(at_start_);
  std::erase_if(result, is_reloadable);
  return result;
}

} // namespace notify
