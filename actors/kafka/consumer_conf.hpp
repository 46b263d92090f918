#pragma once

#include "actors/kafka/conf.hpp"
#include "actors/kafka/consumer_config.hpp"

namespace notify::kafka {

/// Everything that the consumer's client is told, checked. `ec::invalid_config` names the option.
///
/// Refused, however they are asked for: committing or storing offsets automatically (an offset
/// would move before the database commit), and cooperative assignors (a commit during a rebalance
/// can lose the whole assignment with librdkafka below 2.10).
caf::expected<properties> consumer_properties(const consumer_config& config);

} // namespace notify::kafka
