#include "actors/metrics_parts.hpp"

#include "messages/refusal_reason.hpp"

#include <utility>

namespace notify {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Labels;
using prometheus::Registry;

counter& one_counter(Registry& r, const char* name, const char* help) {
  return counters(r, name, help).Add({});
}

histogram& one_histogram(Registry& r, const char* name, const char* help,
                         const histogram::BucketBoundaries& bounds) {
  return histograms(r, name, help).Add({}, bounds);
}

std::vector<std::string> reason_names() {
  std::vector<std::string> result;
  for (auto x : all_refusal_reasons())
    result.push_back(to_string(x));
  return result;
}

} // namespace

const histogram::BucketBoundaries short_times{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                              0.25,   0.5,   1,      2.5,   5,    10,    30};

const histogram::BucketBoundaries long_times{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,    2.5,
                                             5,    10,    30,   60,  300,  900, 3600, 14400};

const histogram::BucketBoundaries small_numbers{1, 2, 3, 4, 5, 6, 8, 12, 20};

counter_family& counters(Registry& r, const char* name, const char* help) {
  return BuildCounter().Name(name).Help(help).Register(r);
}

gauge_family& gauges(Registry& r, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(r);
}

histogram_family& histograms(Registry& r, const char* name, const char* help) {
  return BuildHistogram().Name(name).Help(help).Register(r);
}

gauge& one_gauge(Registry& r, const char* name, const char* help) {
  return gauges(r, name, help).Add({});
}

counter_set closed_set(counter_family& family, Labels labels, const std::string& label,
                       std::vector<std::string> names) {
  counter_set result;
  names.emplace_back("other");
  for (const auto& name : names) {
    labels[label] = name;
    result.add(name, family.Add(labels));
  }
  return result;
}

std::vector<std::string> error_classes_and(std::initializer_list<const char*> more) {
  std::vector<std::string> names{"retryable_provider_error",
                                 "rate_limited_provider_error",
                                 "permanent_provider_error",
                                 "unknown_outcome",
                                 "invalid_template_error",
                                 "invalid_event_error",
                                 "storage_error"};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

kafka_metrics make_kafka_metrics(Registry& r) {
  auto& partitions = gauges(r, "notify_kafka_partitions",
                            "Partitions of this process: assigned; of those paused; stalled, which "
                            "wait for an operator; silent, where records wait and none comes.");
  auto in_state = [&](const char* state) -> gauge& { return partitions.Add({{"state", state}}); };
  return {
      one_counter(r, "notify_kafka_records_total", "Records read from Kafka."),
      one_counter(r, "notify_kafka_rebalances_total", "Assignments by the consumer group."),
      one_counter(r, "notify_kafka_commits_total", "Commits of offsets that the broker took."),
      one_counter(r, "notify_kafka_commit_errors_total", "Commits of offsets that failed."),
      in_state("assigned"),
      in_state("paused"),
      in_state("stalled"),
      in_state("silent"),
      one_gauge(r, "notify_ingest_halted",
                "1 while ingest is halted because too many records would be dead-lettered."),
      one_gauge(r, "notify_kafka_buffered_records", "Records in memory that are not durable yet."),
      one_gauge(r, "notify_kafka_buffered_bytes", "Their size.")};
}

ingest_metrics make_ingest_metrics(Registry& r) {
  auto& records = counters(r, "notify_ingest_records_total",
                           "Records by what became of them: stored, duplicate or dead_lettered.");
  return {
      records.Add({{"result", "stored"}}),
      records.Add({{"result", "duplicate"}}),
      records.Add({{"result", "dead_lettered"}}),
      one_counter(r, "notify_ingest_jobs_total", "Notifications that were created."),
      one_counter(r, "notify_ingest_unrouted_total", "Events that call for no notification."),
      one_counter(r, "notify_ingest_conflicts_total",
                  "Event ids that came twice with different payloads."),
      one_counter(r, "notify_ingest_batches_total", "Batches that became durable."),
      one_counter(r, "notify_ingest_failures_total",
                  "Batches that were not stored and are tried again."),
      closed_set(
          counters(r, "notify_ingest_invalid_total", "Records that were dead-lettered, by reason."),
          {}, "reason", reason_names()),
      one_histogram(r, "notify_ingest_store_seconds", "One batch into the database.", short_times),
      one_histogram(r, "notify_ingest_latency_seconds",
                    "From a record's time in Kafka until it was durable here.", long_times),
      one_histogram(r, "notify_event_to_job_seconds",
                    "From an event's own time until its notifications were stored.", long_times)};
}

delivery_metrics make_delivery_metrics(Registry& r) {
  auto& reclaims = counters(r, "notify_job_reclaims_total",
                            "Notifications that lost their worker, or whose lease ran out.");
  return {
      one_counter(r, "notify_claims_total", "Claims of due notifications."),
      one_counter(r, "notify_claim_failures_total",
                  "Statements of the dispatcher that failed; it tries again."),
      one_counter(r, "notify_leases_lost_total", "Leases that ran out before they were renewed."),
      one_counter(r, "notify_jobs_given_back_total",
                  "Claimed notifications that went back unsent."),
      reclaims.Add({{"cause", "lease_expired"}}),
      reclaims.Add({{"cause", "worker_crashed"}}),
      one_counter(r, "notify_late_successes_total",
                  "Successes that came after their attempt had been given up."),
      one_counter(r, "notify_superseded_results_total",
                  "Failures whose attempt had been ended by somebody else."),
      one_counter(r, "notify_refused_texts_total",
                  "Attempts that were recorded without the provider's words, which the "
                  "database refused.")};
}

janitor_metrics make_janitor_metrics(Registry& r) {
  return {one_counter(r, "notify_janitor_errors_total", "Batches of the janitor that failed."),
          closed_set(counters(r, "notify_janitor_deleted_rows_total",
                              "Rows deleted after their retention, by kind."),
                     {}, "kind",
                     {"jobs", "dead_jobs", "events", "dead_letters", "suppressions", "operations"}),
          one_gauge(r, "notify_janitor_last_success_timestamp_seconds",
                    "The last complete pass of this process; before it, the process's start."),
          one_gauge(r, "notify_janitor_backlog_rows",
                    "Rows that may go and are still there, as far as they were counted.")};
}

relay_metrics make_relay_metrics(Registry& r) {
  return {one_counter(r, "notify_dead_letters_published_total",
                      "Dead letters that the broker took, stubs included."),
          one_counter(r, "notify_dead_letter_failures_total",
                      "Dead letters that the broker did not take; they stay in the database."),
          one_counter(r, "notify_dead_letter_storage_failures_total",
                      "Calls of the relay to the database that failed.")};
}

listener_metrics make_listener_metrics(Registry& r) {
  return {one_counter(r, "notify_listener_notices_total",
                      "Notices of other processes about new notifications."),
          one_counter(r, "notify_listener_notices_sent_total", "Notices to other processes."),
          one_counter(r, "notify_listener_notices_failed_total",
                      "Notices that PostgreSQL did not take; polling does without them."),
          one_counter(r, "notify_listener_reconnects_total", "Connections for notices."),
          one_gauge(r, "notify_listener_up",
                    "1 while this process's own test notices come back; 0: only polling finds "
                    "what other processes store."),
          one_gauge(r, "notify_listener_last_heard_timestamp_seconds",
                    "When a notice arrived last, a test included; 0: never.")};
}

} // namespace notify
