#pragma once

#include "messages/stats.hpp"
#include "messages/status.hpp"

#include <prometheus/metric_family.h>

#include <chrono>
#include <string>
#include <vector>

// Reports in the words of Prometheus. Pure.

namespace notify {

using metric_families = std::vector<prometheus::MetricFamily>;

/// What a look at all actors tells: mailboxes, restarts, silence, slots. Actors of a pool count
/// together, without their numbers.
metric_families families_of(const actor_tree& x);

/// What the stats collector found. A figure that is not known has no series.
metric_families families_of(const stats_report& x, std::chrono::system_clock::time_point now);

/// A family of one series without labels.
prometheus::MetricFamily single_gauge(const std::string& name, const std::string& help,
                                      double value);

} // namespace notify
