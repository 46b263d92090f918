#include "tools/configured_files.hpp"

#include "actors/rendering.hpp"
#include "actors/routing.hpp"
#include "messages/error.hpp"
#include "messages/nearest.hpp"
#include "tools/channel_checks.hpp"
#include "tools/option_table.hpp"
#include "tools/settings.hpp"
#include "tools/value_text.hpp"

#include <algorithm>

namespace notify {

namespace {

void add_line(std::string& text, const std::string& line) {
  text += (text.empty() ? "" : "\n") + line;
}

void check_route(const std::string& place, const route& x, const template_set& templates,
                 std::string& problems) {
  const auto& channels = channel_names();
  if (std::count(channels.begin(), channels.end(), x.channel) == 0) {
    auto near = nearest(x.channel, channels);
    add_line(problems, place + " goes to the unknown channel " + quoted_text(x.channel)
                           + (near.empty() ? "" : ", did you mean " + quoted_text(near) + "?"));
  }
  if (!templates.contains(x.template_key))
    add_line(problems, place + " names the template " + quoted_text(x.template_key)
                           + ", which is not in service.templates-folder");
}

} // namespace

caf::error check_configured_files(const service_config& config) {
  auto routes = routing_table::load(config.routes_file);
  if (!routes)
    return routes.error();
  auto templates = template_set::load(config.templates_folder);
  if (!templates)
    return templates.error();
  std::string problems;
  for (const auto& [event_type, list] : routes->routes())
    for (const auto& x : list)
      check_route(config.routes_file + ": the route of " + event_type, x, **templates, problems);
  if (!problems.empty())
    return caf::make_error(ec::invalid_config, problems);
  return caf::none;
}

caf::error check_named(const service_config& config) {
  std::string problems;
  for (const auto& err : {check_channels(config), check_configured_files(config)})
    if (err)
      add_line(problems, problem_text(err));
  if (!problems.empty())
    return caf::make_error(ec::invalid_config, problems);
  return caf::none;
}

} // namespace notify
