#pragma once

#include "messages/outcome.hpp"
#include "messages/stats.hpp"
#include "messages/status.hpp"
#include "persistence/session_observer.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <caf/timespan.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace notify {

using counter = prometheus::Counter;
using gauge = prometheus::Gauge;
using histogram = prometheus::Histogram;

/// One time series for each of a closed list of names; what is not on it counts as `other`.
class counter_set {
public:
  void add(const std::string& name, counter& x) { by_name_.emplace(name, &x); }
  counter& operator[](std::string_view name) const;

private:
  std::map<std::string, counter*, std::less<>> by_name_;
};

struct kafka_metrics {
  counter &records, &rebalances, &commits, &commit_errors;
  gauge &assigned, &paused, &stalled, &silent, &halted, &buffered_records, &buffered_bytes;
};

struct ingest_metrics {
  counter &stored, &duplicates, &dead_lettered, &jobs, &unrouted, &conflicts, &batches, &failures;
  counter_set refused; ///< By reason.
  histogram &store_seconds, &latency, &event_to_job;
};

/// What the jobs of one channel come to.
struct channel_metrics {
  counter& claimed;
  counter_set attempts; ///< By result.
  counter_set dead;     ///< By reason.
  counter& sent;
  histogram &attempts_per_job, &job_to_sent, &event_to_sent;
};

/// One channel's provider.
struct provider_metrics {
  std::array<counter*, 7> requests{}; ///< By `outcome_kind`.
  histogram& seconds;
  counter &rate_limited, &timeouts, &breaker_openings, &pauses, &late_answers;
  gauge &breaker_state, &in_flight;

  /// One answer of the provider.
  void answered(const outcome& x, caf::timespan took);
};

struct delivery_metrics {
  counter &claims, &storage_failures, &leases_lost, &given_back;
  counter &reclaims_expired, &reclaims_crashed; ///< Jobs that lost their worker.
  counter &late_successes, &superseded, &refused_texts;
};

struct janitor_metrics {
  counter& errors;
  counter_set deleted; ///< By kind.
  gauge &last_success, &backlog;
};

struct relay_metrics {
  counter &published, &failures, &storage_failures;
};

struct listener_metrics {
  counter &notices, &notices_sent, &notices_failed, &reconnects;
  gauge &up, &last_heard;
};

/// Everything that a process counts about itself, for Prometheus. One for each process, made before
/// its actors and handed to all of their lives, so that nothing is lost when one is restarted.
///
/// Actors use the handles, which costs an addition; nobody looks for a label while he works. Labels
/// come from closed lists: never an id, an address or a text from outside. docs/metrics.md lists
/// every series. Thread-safe.
class service_metrics {
public:
  explicit service_metrics(const std::string& version = "unknown");
  ~service_metrics();

  service_metrics(const service_metrics&) = delete;
  service_metrics& operator=(const service_metrics&) = delete;

  /// All of it in Prometheus' text format. Never waits for anybody.
  std::string text() const;

  // For configured names only. They live as long as this.
  channel_metrics& channel(const std::string& name);
  provider_metrics& provider(const std::string& channel, const std::string& provider);

  /// Observes a session's role.
  std::shared_ptr<session_observer> session(const std::string& role);

  /// How far the group is behind in each partition that it has, by topic and number.
  void show_lag(const std::map<std::pair<std::string, int32_t>, int64_t>& records);

  /// The last look at all actors, and the last figures of the tables.
  void show(const actor_tree& x);
  void show(const stats_report& x);

  /// An answer of the HTTP server. `route` is the pattern, e.g. `/api/v1/notifications/{id}`.
  void on_answer(const std::string& route, const std::string& method, unsigned status,
                 double seconds, uint64_t bytes);

private:
  struct implementation;
  std::unique_ptr<implementation> impl_;

public:
  kafka_metrics kafka;
  ingest_metrics ingest;
  delivery_metrics delivery;
  janitor_metrics janitor;
  relay_metrics relay;
  listener_metrics listener;
};

using metrics_ptr = std::shared_ptr<service_metrics>;

/// One that nobody reads: the default of whoever is not told where to count.
metrics_ptr private_metrics();

/// A part's settings, and where it counts.
template <class Config>
struct measured : Config {
  measured() = default;
  measured(Config x, metrics_ptr to = private_metrics()) // NOLINT: plain settings will do.
      : Config(std::move(x)), metrics(std::move(to)) {}

  metrics_ptr metrics = private_metrics();
};

/// Seconds, as Prometheus wants them.
inline double seconds_of(caf::timespan x) {
  return std::chrono::duration<double>(x).count();
}

/// Seconds since then by the wall clock, not negative: for times that others gave.
double seconds_since_us(int64_t microseconds_since_1970);

} // namespace notify
