#pragma once

#include "actors/service_config.hpp"

#include <caf/error.hpp>

namespace notify {

/// Reads the routes and the templates that the settings name, and checks that they fit together:
/// every route leads to a channel that exists and to a template that exists. The error
/// (`ec::invalid_config`) holds one line per problem.
caf::error check_configured_files(const service_config& config);

/// All that the settings name: channels and files.
caf::error check_named(const service_config& config);

} // namespace notify
