#pragma once

#include "actors/service_config.hpp"

#include <caf/error.hpp>

namespace notify {

/// Checks that the provider of each channel can be made of its settings, its secrets included. The
/// error (`ec::invalid_config`) holds one line per problem and repeats no secret.
caf::error check_channels(const service_config& config);

} // namespace notify
