#include "actors/inbox_writer.hpp"

#include "actors/batch_isolation.hpp"
#include "actors/crash_report.hpp"
#include "actors/ingest_plan.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <chrono>

namespace notify {

namespace {

/// More refusals of one batch are only counted: a broken producer must not flood the log.
constexpr size_t logged_refusals = 10;

/// This many refusals without one good event look like a broken deployment.
constexpr uint64_t alarm_after = 50;

} // namespace

caf::result<batch_stored> inbox_writer_state::store(const store_batch& x) {
  auto plan = plan_batch(x.records, *routes, config.limits);
  auto begin = std::chrono::steady_clock::now();
  auto report = store_with_retries(*storage, plan.batch);
  if (!report && report.error() == ec::storage_data && !plan.batch.events.empty()) {
    ++counters["isolations"];
    report = store_isolated(*storage, plan, x.records, config.tries, report.error());
  }
  auto elapsed = std::chrono::steady_clock::now() - begin;
  counters["store_us"] += std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
  if (!report) {
    last_error = render(report.error());
    ++counters["errors"];
    return report.error();
  }
  last_error.clear();
  account(plan, *report, x.records.size());
  report_refused(plan);
  watch_refusals(plan, *report);
  give_hint(plan, *report);
  return batch_stored{x.id, report->events, report->duplicates + plan.duplicates,
                      report->dead_letters, report->jobs};
}

void inbox_writer_state::account(const ingest_plan& plan, const ingest_report& report,
                                 size_t stored_records) {
  records += stored_records;
  ++counters["batches"];
  counters["events"] += static_cast<int64_t>(report.events);
  counters["duplicates"] += static_cast<int64_t>(report.duplicates + plan.duplicates);
  counters["dead_letters"] += static_cast<int64_t>(report.dead_letters);
  counters["jobs"] += static_cast<int64_t>(report.jobs);
  counters["unrouted"] += static_cast<int64_t>(plan.unrouted);
  counters["conflicts"] += static_cast<int64_t>(plan.conflicts.size());
  for (const auto& x : plan.refused)
    ++counters["refused." + x.reason];
}

void inbox_writer_state::report_refused(const ingest_plan& plan) {
  auto shown = std::min(plan.refused.size(), logged_refusals);
  for (size_t i = 0; i < shown; ++i) {
    const auto& x = plan.refused[i];
    log::warning(name, "record dead-lettered",
                 {{"topic", x.topic},
                  {"partition", x.partition},
                  {"offset", x.offset},
                  {"reason", x.reason},
                  {"detail", x.detail},
                  {"event_id", x.event_id},
                  {"correlation_id", x.correlation_id}});
  }
  if (plan.refused.size() > shown)
    log::warning(name, "further records dead-lettered", {{"records", plan.refused.size() - shown}});
  for (size_t i = 0; i < std::min(plan.conflicts.size(), logged_refusals); ++i)
    log::warning(name, "event id came twice with different payloads, the first one counts",
                 {{"event_id", to_string(plan.conflicts[i])}});
}

void inbox_writer_state::watch_refusals(const ingest_plan& plan, const ingest_report& report) {
  if (report.events + report.duplicates + plan.duplicates > 0) {
    refused_in_a_row = 0;
    return;
  }
  auto before = refused_in_a_row;
  refused_in_a_row += plan.refused.size();
  if (before < alarm_after && refused_in_a_row >= alarm_after)
    log::error(name, "nothing but dead letters: is a producer or a deployment broken?",
               {{"records", refused_in_a_row}});
}

void inbox_writer_state::give_hint(const ingest_plan& plan, const ingest_report& report) {
  if (report.dead_letters > 0 && config.relay)
    if (auto receiver = config.relay())
      self->send(receiver, dead_letters_stored{report.dead_letters});
  if (report.jobs == 0)
    return;
  jobs_ready hint;
  for (const auto& x : plan.batch.jobs)
    if (std::find(hint.channels.begin(), hint.channels.end(), x.channel) == hint.channels.end())
      hint.channels.push_back(x.channel);
  if (auto receiver = dispatcher())
    self->send(receiver, std::move(hint));
}

actor_status inbox_writer_state::status() const {
  actor_status result;
  result.name = name;
  result.state = last_error.empty() ? "idle" : "waiting for storage";
  result.mailbox = self->mailbox().size();
  result.processed = records;
  result.last_error = last_error;
  result.counters = counters;
  result.counters["refused_in_a_row"] = static_cast<int64_t>(refused_in_a_row);
  return result;
}

inbox_writer_actor::behavior_type inbox_writer(inbox_writer_state::pointer self,
                                               const inbox_writer_config& config,
                                               ingest_store_ptr storage,
                                               std::shared_ptr<const routing_table> routes,
                                               dispatcher_resolver dispatcher) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.storage = std::move(storage);
  state.routes = std::move(routes);
  state.dispatcher = std::move(dispatcher);
  return {
      [self](const store_batch& x) { return self->state.store(x); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
