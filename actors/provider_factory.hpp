#pragma once

#include "actors/providers/provider.hpp"
#include "actors/service_config.hpp"

#include <boost/asio/io_context.hpp>

#include <caf/timespan.hpp>

namespace notify {

/// The adapter that a channel's settings ask for; each call makes a new one with connections of its
/// own. The settings were checked at start, so that a failure is a bug: `std::runtime_error`.
provider_ptr make_provider(boost::asio::io_context& io, const channel_config& config);

/// How long the channel's provider remembers an idempotency key, from its first use on; 0 if it
/// knows none.
caf::timespan key_lifetime(const channel_config& config);

} // namespace notify
