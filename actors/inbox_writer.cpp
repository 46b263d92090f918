#include "actors/inbox_writer.hpp"

#include "actors/batch_isolation.hpp"
#include "actors/batch_trace.hpp"
#include "actors/crash_report.hpp"
#include "actors/debug_poison.hpp"
#include "actors/ingest_plan.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace notify {

namespace {

/// More refusals of one batch are only counted: a broken producer must not flood the log.
constexpr size_t logged_refusals = 10;

/// This many refusals without one good event look like a broken deployment.
constexpr uint64_t alarm_after = 50;

/// Tells the others of an exception that ends this writer over its marks.
class last_word {
public:
  explicit last_word(ingest_store& storage) : storage_(storage) {}

  last_word(const last_word&) = delete;
  last_word& operator=(const last_word&) = delete;

  ~last_word() {
    if (std::uncaught_exceptions() > exceptions_)
      storage_.abandon_marks();
  }

private:
  ingest_store& storage_;
  int exceptions_ = std::uncaught_exceptions();
};

} // namespace

caf::result<batch_stored> inbox_writer_state::store(const store_batch& x) {
  batch_stored sum;
  sum.id = x.id;
  tracing = begin_ingest(config.trace, x.id, x.records);
  failure = store_all(x.records, sum);
  last_error = failure ? render(failure) : std::string{};
  end_trace(sum);
  if (failure) {
    ++counters["errors"];
    return failure;
  }
  ++counters["batches"];
  return sum;
}

void inbox_writer_state::end_trace(const batch_stored& sum) {
  if (!tracing)
    return;
  auto x = std::move(*std::exchange(tracing, std::nullopt));
  x.failure = last_error;
  x.attributes["events"] = std::to_string(sum.events);
  x.attributes["jobs"] = std::to_string(sum.jobs);
  config.trace.end(std::move(x));
}

caf::error inbox_writer_state::store_all(const std::vector<kafka_record>& batch,
                                         batch_stored& sum) {
  if (auto err = watch.meet(*storage, batch))
    return err;
  // Parts that were stored before one that fails are read again as duplicates.
  for (const auto& part : watch.cut(batch))
    if (auto err = store_part(part, sum))
      return err;
  return {};
}

caf::error inbox_writer_state::store_part(const batch_part& x, batch_stored& sum) {
  auto& gate = config.commons->gate;
  if (x.how == handling::together) {
    auto turn = gate.enter();
    return work_on(x, sum);
  }
  auto turn = gate.enter_alone();
  return work_on(x, sum);
}

caf::error inbox_writer_state::work_on(const batch_part& x, batch_stored& sum) {
  last_word in_case_of_death{*storage};
  auto marks = watch.marks_before(x);
  if (!marks.empty())
    if (auto err = storage->mark(marks))
      return err;
  auto planned = plan_part(x);
  planned.batch.repeated = planned.duplicates;
  planned.batch.finished = marks;
  auto obsolete = watch.marks_after(x);
  planned.batch.finished.insert(planned.batch.finished.end(), obsolete.begin(), obsolete.end());
  auto report = store_plan(x, planned);
  if (!report) {
    // Nobody died: what is left here would be held against these records.
    forget(marks);
    return std::move(report.error());
  }
  watch.passed(x);
  config.commons->breaker.stored(planned.verdicts);
  if (tracing)
    add_links(config.trace, planned, *tracing);
  account(planned, *report, x.records.size());
  measure(x, planned, *report);
  report_refused(planned);
  watch_refusals(planned, *report);
  give_hint(planned, *report);
  sum.events += report->events;
  sum.duplicates += report->duplicates + planned.duplicates;
  sum.dead_letters += report->dead_letters;
  sum.jobs += report->jobs;
  return {};
}

ingest_plan inbox_writer_state::plan_part(const batch_part& x) const {
  if (x.how == handling::condemned)
    return plan_refusal(x.records.front(), refusal_reason::crashed_repeatedly,
                        "its writer or the process died " + std::to_string(x.attempts)
                            + " times over it");
  die_of_poison(x.records);
  auto table = routes.current();
  return plan_batch(x.records, *table, config.limits);
}

caf::expected<ingest_report> inbox_writer_state::store_plan(const batch_part& x,
                                                            ingest_plan& planned) {
  if (auto err = ask_breaker(planned))
    return err;
  auto begin = std::chrono::steady_clock::now();
  auto report = store_with_retries(*storage, planned.batch);
  if (!report && report.error() == ec::storage_data && !planned.batch.events.empty()) {
    ++counters["isolations"];
    report = isolate(x, planned, std::move(report.error()));
  }
  auto elapsed = std::chrono::steady_clock::now() - begin;
  counters["store_us"] += std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
  config.metrics->ingest.store_seconds.Observe(std::chrono::duration<double>(elapsed).count());
  return report;
}

caf::expected<ingest_report> inbox_writer_state::isolate(const batch_part& x, ingest_plan& planned,
                                                         const caf::error& reason) {
  // What the database refuses is odd enough to be watched.
  auto marks = planned.batch.finished.empty() ? marks_of(x.records) : std::vector<ingest_mark>{};
  if (!marks.empty()) {
    if (auto err = storage->mark(marks))
      return err;
    planned.batch.finished = marks;
  }
  auto report = store_isolated(*storage, planned, x.records, config.tries, reason);
  if (!report)
    forget(marks);
  return report;
}

caf::error inbox_writer_state::ask_breaker(const ingest_plan& planned) {
  auto& breaker = config.commons->breaker;
  auto objection = breaker.objection(planned.verdicts);
  if (!objection)
    return {};
  ++counters["halts"];
  const auto& x = planned.refused.front();
  auto place = x.topic + "/" + std::to_string(x.partition) + " at " + std::to_string(x.offset);
  if (breaker.is_news(place))
    log::error(name, "ingest halted: is a producer or a deployment broken?",
               {{"why", *objection},
                {"topic", x.topic},
                {"partition", x.partition},
                {"offset", x.offset},
                {"reason", x.reason},
                {"detail", x.detail}});
  return caf::make_error(ec::ingest_halted,
                         *objection + ", the first of them " + place + ": " + x.reason);
}

void inbox_writer_state::forget(const std::vector<ingest_mark>& marks) {
  if (marks.empty())
    return;
  ingest_batch batch;
  batch.finished = marks;
  // If this fails, the records are tried one by one by whoever comes next: slower, no harm.
  if (auto report = storage->store(batch); !report)
    log::debug(name, "marks stay", {{"error", render(report.error())}});
}

void inbox_writer_state::account(const ingest_plan& plan, const ingest_report& report,
                                 size_t stored_records) {
  records += stored_records;
  counters["events"] += static_cast<int64_t>(report.events);
  counters["duplicates"] += static_cast<int64_t>(report.duplicates + plan.duplicates);
  counters["dead_letters"] += static_cast<int64_t>(report.dead_letters);
  counters["jobs"] += static_cast<int64_t>(report.jobs);
  counters["unrouted"] += static_cast<int64_t>(plan.unrouted);
  counters["conflicts"] += static_cast<int64_t>(plan.conflicts.size());
  for (const auto& x : plan.refused)
    ++counters["refused." + x.reason];
}

void inbox_writer_state::measure(const batch_part& x, const ingest_plan& plan,
                                 const ingest_report& report) {
  auto& to = config.metrics->ingest;
  auto count = [](counter& which, uint64_t n) { which.Increment(static_cast<double>(n)); };
  to.batches.Increment();
  count(to.stored, report.events);
  count(to.duplicates, report.duplicates + plan.duplicates);
  count(to.dead_lettered, plan.refused.size());
  count(to.jobs, report.jobs);
  count(to.unrouted, plan.unrouted);
  count(to.conflicts, plan.conflicts.size());
  for (const auto& refused : plan.refused)
    to.refused[refused.reason].Increment();
  for (const auto& record : x.records)
    if (record.timestamp_ms >= 0)
      to.latency.Observe(seconds_since_us(record.timestamp_ms * 1000));
  // Which of a batch's events are copies nobody knows here, and a copy's age says nothing.
  if (report.duplicates == 0)
    for (const auto& event : plan.batch.events)
      to.event_to_job.Observe(seconds_since_us(event.occurred_at_us));
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
  if (config.signal)
    config.signal->raise(hint.channels);
  if (auto receiver = dispatcher())
    self->send(receiver, std::move(hint));
}

actor_status inbox_writer_state::status() const {
  actor_status result;
  result.name = name;
  result.state = !failure                       ? "idle"
                 : failure == ec::ingest_halted ? "halted"
                                                : "waiting for storage";
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
                                               live_value<routing_table> routes,
                                               dispatcher_resolver dispatcher) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  if (state.config.commons == nullptr)
    state.config.commons = std::make_shared<ingest_commons>(config.breaker);
  state.watch = suspect_watch{config.crash_tries, config.watched_records};
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
