#pragma once

#include "actors/metrics.hpp"

#include <prometheus/labels.h>
#include <prometheus/registry.h>

#include <initializer_list>
#include <string>
#include <vector>

// How the series are made: names, helps and the closed lists of their labels.

namespace notify {

using counter_family = prometheus::Family<counter>;
using gauge_family = prometheus::Family<gauge>;
using histogram_family = prometheus::Family<histogram>;

/// Bounds for statements and answers of servers.
extern const histogram::BucketBoundaries short_times;

/// Bounds for what may wait for retries.
extern const histogram::BucketBoundaries long_times;

extern const histogram::BucketBoundaries small_numbers;

counter_family& counters(prometheus::Registry& r, const char* name, const char* help);
gauge_family& gauges(prometheus::Registry& r, const char* name, const char* help);
histogram_family& histograms(prometheus::Registry& r, const char* name, const char* help);
gauge& one_gauge(prometheus::Registry& r, const char* name, const char* help);

/// One series for each of these names, and one for what is none of them.
counter_set closed_set(counter_family& family, prometheus::Labels labels, const std::string& label,
                       std::vector<std::string> names);

/// The contract's error classes and these names.
std::vector<std::string> error_classes_and(std::initializer_list<const char*> more);

kafka_metrics make_kafka_metrics(prometheus::Registry& r);
ingest_metrics make_ingest_metrics(prometheus::Registry& r);
delivery_metrics make_delivery_metrics(prometheus::Registry& r);
janitor_metrics make_janitor_metrics(prometheus::Registry& r);
relay_metrics make_relay_metrics(prometheus::Registry& r);
listener_metrics make_listener_metrics(prometheus::Registry& r);

} // namespace notify
