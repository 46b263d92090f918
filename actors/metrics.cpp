#include "actors/metrics.hpp"

#include "actors/metrics_parts.hpp"
#include "actors/metrics_views.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <mutex>
#include <sstream>
#include <tuple>
#include <vector>

namespace notify {

namespace {

using prometheus::Labels;
using prometheus::Registry;

class observed_role : public session_observer {
public:
  observed_role(histogram& seconds, counter& failed, counter& connect_failed, gauge& open)
      : seconds_(seconds), failed_(failed), connect_failed_(connect_failed), open_(open) {}

  void on_connected() override { open_.Increment(); }
  void on_disconnected() override { open_.Decrement(); }
  void on_connect_failed() override { connect_failed_.Increment(); }

  void on_call(caf::timespan took, bool failed) override {
    seconds_.Observe(seconds_of(took));
    if (failed)
      failed_.Increment();
  }

private:
  histogram& seconds_;
  counter &failed_, &connect_failed_;
  gauge& open_;
};

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// What a client calls a method may be anything.
std::string known_method(const std::string& x) {
  for (const auto* known : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
    if (x == known)
      return x;
  return "other";
}

} // namespace

counter& counter_set::operator[](std::string_view name) const {
  auto found = by_name_.find(name);
  return *(found != by_name_.end() ? found : by_name_.find(std::string_view{"other"}))->second;
}

void provider_metrics::answered(const outcome& x, caf::timespan took) {
  requests[static_cast<size_t>(x.kind)]->Increment();
  seconds.Observe(seconds_of(took));
  if (x.kind == outcome_kind::retry_after || x.provider_status == 429)
    rate_limited.Increment();
  if (x.reason == "deadline_exceeded" || x.reason.ends_with("_timeout"))
    timeouts.Increment();
}

double seconds_since_us(int64_t microseconds_since_1970) {
  return std::max(0.0, wall_clock() - static_cast<double>(microseconds_since_1970) / 1e6);
}

metrics_ptr private_metrics() {
  return std::make_shared<service_metrics>();
}

struct service_metrics::implementation {
  Registry registry;

  // Families of the series that are made on demand.
  counter_family& claimed =
      counters(registry, "notify_jobs_claimed_total", "Claimed notifications.");
  counter_family& attempts = counters(registry, "notify_delivery_attempts_total",
                                      "Recorded attempts of this process, by result.");
  counter_family& dead = counters(registry, "notify_jobs_dead_total",
                                  "Notifications that this process gave up, by reason.");
  counter_family& sent =
      counters(registry, "notify_jobs_sent_total", "Notifications that this process sent.");
  histogram_family& attempts_per_job = histograms(
      registry, "notify_job_attempts", "Attempts of a notification when it was sent or given up.");
  histogram_family& job_to_sent =
      histograms(registry, "notify_job_to_sent_seconds",
                 "From a notification's creation until it was sent, retries included.");
  histogram_family& event_to_sent = histograms(registry, "notify_event_to_sent_seconds",
                                               "From an event's own time until it was sent.");

  counter_family& requests =
      counters(registry, "notify_provider_requests_total", "Requests to a provider, by result.");
  histogram_family& request_seconds = histograms(registry, "notify_provider_request_seconds",
                                                 "One request, until its answer or its deadline.");
  counter_family& rate_limited = counters(registry, "notify_provider_rate_limited_total",
                                          "Answers that asked us to wait: HTTP 429 and its like.");
  counter_family& timeouts =
      counters(registry, "notify_provider_timeouts_total", "Requests without an answer in time.");
  counter_family& openings =
      counters(registry, "notify_provider_breaker_openings_total", "How often the breaker opened.");
  counter_family& pauses = counters(registry, "notify_provider_pauses_total",
                                    "How often the provider asked for a pause of all sends.");
  counter_family& late_answers =
      counters(registry, "notify_provider_late_answers_total", "Answers after the deadline.");
  gauge_family& breaker =
      gauges(registry, "notify_provider_breaker_state", "0: closed, 1: half open, 2: open.");
  gauge_family& in_flight = gauges(registry, "notify_provider_in_flight", "Requests on the wire.");

  histogram_family& db_seconds = histograms(registry, "notify_db_query_seconds",
                                            "One statement or transaction, by the session's role.");
  counter_family& db_failed =
      counters(registry, "notify_db_query_failures_total", "Those that failed.");
  counter_family& db_connect_failed =
      counters(registry, "notify_db_connect_failures_total", "Connections that were not made.");
  gauge_family& db_open =
      gauges(registry, "notify_db_connections_open", "Open connections to the database.");

  counter_family& http_requests =
      counters(registry, "notify_http_requests_total", "Answers of the HTTP server.");
  histogram_family& http_seconds =
      histograms(registry, "notify_http_request_seconds", "From a request to its answer.");
  counter_family& http_bytes =
      counters(registry, "notify_http_response_bytes_total", "Bytes of bodies of answers.");

  gauge_family& lag = gauges(registry, "notify_kafka_lag_records",
                             "Records between the group's place and the end of a partition.");

  mutable std::mutex mutex;
  std::map<std::string, channel_metrics> channels;
  std::map<std::pair<std::string, std::string>, provider_metrics> providers;
  std::map<std::string, std::shared_ptr<session_observer>> roles;
  std::map<std::pair<std::string, int32_t>, gauge*> lags;
  actor_tree actors;
  stats_report stats;

  channel_metrics make_channel(const std::string& name) {
    Labels labels{{"channel", name}};
    return {claimed.Add(labels),
            closed_set(attempts, labels, "result", error_classes_and({"sent", "abandoned"})),
            closed_set(dead, labels, "reason",
                       error_classes_and({"attempts_exhausted", "expired", "reclaim_limit"})),
            sent.Add(labels),
            attempts_per_job.Add(labels, small_numbers),
            job_to_sent.Add(labels, long_times),
            event_to_sent.Add(labels, long_times)};
  }

  provider_metrics make_provider(const std::string& channel, const std::string& name) {
    Labels labels{{"channel", channel}, {"provider", name}};
    provider_metrics result{{},
                            request_seconds.Add(labels, short_times),
                            rate_limited.Add(labels),
                            timeouts.Add(labels),
                            openings.Add(labels),
                            pauses.Add(labels),
                            late_answers.Add(labels),
                            breaker.Add(labels),
                            in_flight.Add(labels)};
    for (size_t i = 0; i < result.requests.size(); ++i) {
      labels["result"] = to_string(static_cast<outcome_kind>(i));
      result.requests[i] = &requests.Add(labels);
    }
    return result;
  }
};

service_metrics::service_metrics(const std::string& version)
    : impl_(std::make_unique<implementation>()), kafka(make_kafka_metrics(impl_->registry)),
      ingest(make_ingest_metrics(impl_->registry)),
      delivery(make_delivery_metrics(impl_->registry)),
      janitor(make_janitor_metrics(impl_->registry)), relay(make_relay_metrics(impl_->registry)),
      listener(make_listener_metrics(impl_->registry)) {
  auto& r = impl_->registry;
  gauges(r, "notify_build_info", "1; the label tells the program's version.")
      .Add({{"version", version}})
      .Set(1);
  auto& start = one_gauge(r, "notify_start_time_seconds", "When the process started.");
  start.Set(wall_clock());
  janitor.last_success.Set(start.Value());
}

service_metrics::~service_metrics() = default;

std::string service_metrics::text() const {
  auto families = impl_->registry.Collect();
  auto add = [&](metric_families more) {
    for (auto& x : more)
      families.push_back(std::move(x));
  };
  {
    std::lock_guard lock{impl_->mutex};
    add(families_of(impl_->actors));
    add(families_of(impl_->stats, std::chrono::system_clock::now()));
  }
  if (auto heard = listener.last_heard.Value(); heard > 0)
    families.push_back(single_gauge("notify_listener_age_seconds", "Since a notice arrived last.",
                                    std::max(0.0, wall_clock() - heard)));
  std::erase_if(families, [](const auto& x) { return x.metric.empty(); });
  std::sort(families.begin(), families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::ostringstream out;
  prometheus::TextSerializer{}.Serialize(out, families);
  return out.str();
}

channel_metrics& service_metrics::channel(const std::string& name) {
  std::lock_guard lock{impl_->mutex};
  auto found = impl_->channels.find(name);
  if (found == impl_->channels.end())
    found = impl_->channels.emplace(name, impl_->make_channel(name)).first;
  return found->second;
}

provider_metrics& service_metrics::provider(const std::string& channel,
                                            const std::string& provider) {
  std::lock_guard lock{impl_->mutex};
  auto key = std::pair{channel, provider};
  auto found = impl_->providers.find(key);
  if (found == impl_->providers.end())
    found = impl_->providers.emplace(key, impl_->make_provider(channel, provider)).first;
  return found->second;
}

std::shared_ptr<session_observer> service_metrics::session(const std::string& role) {
  std::lock_guard lock{impl_->mutex};
  auto& slot = impl_->roles[role];
  Labels labels{{"role", role}};
  if (!slot)
    slot = std::make_shared<observed_role>(
        impl_->db_seconds.Add(labels, short_times), impl_->db_failed.Add(labels),
        impl_->db_connect_failed.Add(labels), impl_->db_open.Add(labels));
  return slot;
}

void service_metrics::show_lag(const std::map<std::pair<std::string, int32_t>, int64_t>& records) {
  std::lock_guard lock{impl_->mutex};
  auto& lags = impl_->lags;
  for (const auto& [where, count] : records) {
    auto& slot = lags[where];
    if (slot == nullptr)
      slot = &impl_->lag.Add({{"topic", where.first}, {"partition", std::to_string(where.second)}});
    slot->Set(static_cast<double>(count));
  }
  // Partitions of others are theirs to tell.
  std::erase_if(lags, [&](const auto& x) {
    if (records.contains(x.first))
      return false;
    impl_->lag.Remove(x.second);
    return true;
  });
}

void service_metrics::show(const actor_tree& x) {
  std::lock_guard lock{impl_->mutex};
  impl_->actors = x;
}

void service_metrics::show(const stats_report& x) {
  std::lock_guard lock{impl_->mutex};
  impl_->stats = x;
}

void service_metrics::on_answer(const std::string& route, const std::string& method,
                                unsigned status, double seconds, uint64_t bytes) {
  Labels labels{{"route", route}, {"method", known_method(method)}};
  impl_->http_seconds.Add(labels, short_times).Observe(seconds);
  impl_->http_bytes.Add(labels).Increment(static_cast<double>(bytes));
  labels["status"] = std::to_string(status);
  impl_->http_requests.Add(labels).Increment();
}

} // namespace notify
