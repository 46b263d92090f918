#include "actors/janitor.hpp"

#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Rows that one count looks at.
constexpr uint32_t count_limit = 100'000;

/// No batch is made smaller than this.
constexpr uint32_t smallest_batch = 10;

/// After a failure and after the start, unless the interval is shorter: an outage should not cost a
/// whole interval.
constexpr caf::timespan soon = 1min;

/// Up to half more: the janitors of many processes should not meet.
caf::timespan jittered(caf::timespan x) {
  auto more = static_cast<double>(x.count()) * random_unit() / 2;
  return x + caf::timespan{static_cast<int64_t>(more)};
}

void add(janitor_report& sum, retained kind, const cleaned_batch& x) {
  sum.events += x.events;
  switch (kind) {
  case retained::jobs:
    sum.jobs += x.deleted;
    break;
  case retained::dead_jobs:
    sum.dead_jobs += x.deleted;
    break;
  case retained::events:
    sum.events += x.deleted;
    break;
  case retained::dead_letters:
    sum.dead_letters += x.deleted;
    break;
  case retained::suppressions:
    sum.suppressions += x.deleted;
    break;
  case retained::operations:
    sum.operations += x.deleted;
    break;
  }
}

void measure(retained kind, const cleaned_batch& x, service_metrics& to) {
  constexpr std::array names{"jobs",         "dead_jobs",    "events",
                             "dead_letters", "suppressions", "operations"};
  to.janitor.deleted[names.at(static_cast<size_t>(kind))].Increment(static_cast<double>(x.deleted));
  to.janitor.deleted["events"].Increment(static_cast<double>(x.events));
}

void log_deleted(const janitor_report& x) {
  if (x.jobs + x.dead_jobs + x.events + x.dead_letters + x.suppressions + x.operations > 0)
    log::info(janitor_state::name, "deleted what was past its retention",
              {{"jobs", x.jobs},
               {"dead_jobs", x.dead_jobs},
               {"events", x.events},
               {"dead_letters", x.dead_letters},
               {"suppressions", x.suppressions},
               {"operations", x.operations}});
}

} // namespace

caf::result<janitor_report> janitor_state::clean() {
  auto promise = self->make_response_promise<janitor_report>();
  waiting.push_back(promise);
  arm(0s);
  return promise;
}

void janitor_state::on_tick(const janitor_tick& tick) {
  if (tick.generation != generation)
    return;
  if (!is_cleaning)
    start_pass();
  step();
}

void janitor_state::start_pass() {
  is_cleaning = true;
  current = 0;
  pass = {};
  for (size_t i = 0; i < sweeps.size(); ++i) {
    sweeps[i].until_count = 0;
    // What a sweep passed by may go later, so each begins at the oldest row again. Not so events:
    // the ones that remained have jobs, often for much longer, and go with the last of them.
    if (retained_kinds[i] != retained::events)
      sweeps[i].position = {};
  }
}

void janitor_state::step() {
  auto kind = retained_kinds[current];
  auto& x = sweeps[current];
  auto limit = batch_size;
  auto batch = store->clean(kind, x.position, limit);
  if (!batch)
    return fail(batch.error());
  last_error.clear();
  if (!batch->is_ours)
    return finish(false);
  count(kind, *batch);
  x.position = batch->last;
  batch_size = std::min(2 * batch_size, config.batch);
  if (batch->looked_at >= limit) {
    estimate(kind, x);
    return arm(waiting.empty() ? config.pause : 0s);
  }
  x.backlog = 0;
  if (++current < sweeps.size())
    return arm(0s);
  finish(true);
}

void janitor_state::count(retained kind, const cleaned_batch& batch) {
  add(pass, kind, batch);
  add(total, kind, batch);
  measure(kind, batch, *config.metrics);
  auto& x = sweeps[current];
  x.backlog -= std::min(x.backlog, batch.deleted);
  x.until_count -= std::min(x.until_count, batch.looked_at);
}

void janitor_state::estimate(retained kind, sweep& x) {
  // A count looks at many rows: only once it is used up.
  if (x.until_count > 0)
    return;
  x.until_count = count_limit;
  // If it fails, the next batch tells why.
  if (auto rest = store->backlog(kind, x.position, count_limit))
    x.backlog = *rest;
}

void janitor_state::fail(const caf::error& err) {
  ++errors;
  config.metrics->janitor.errors.Increment();
  last_error = render(err);
  log::repeated(log::level::warning, name, "a batch failed; the pass goes on from there later",
                {{"error", last_error}});
  // A deadlock or a timeout: less may go through where more does not.
  if (err == ec::storage_conflict)
    batch_size = std::max(batch_size / 4, std::min(smallest_batch, config.batch));
  for (auto& x : waiting)
    x.deliver(err);
  waiting.clear();
  arm(jittered(std::min(config.interval, soon)));
}

void janitor_state::finish(bool is_complete) {
  is_cleaning = false;
  config.metrics->janitor.backlog.Set(static_cast<double>(backlog()));
  pass.is_complete = is_complete;
  if (is_complete) {
    ++passes;
    last_success = self->clock().now();
    config.metrics->janitor.last_success.SetToCurrentTime();
  } else {
    ++skipped;
  }
  log_deleted(pass);
  for (auto& x : waiting)
    x.deliver(pass);
  waiting.clear();
  arm(jittered(config.interval));
}

void janitor_state::arm(caf::timespan delay) {
  // Whatever was under way before is stale now.
  janitor_tick tick{++generation};
  if (delay.count() == 0)
    self->send(self, tick);
  else
    self->delayed_send(self, delay, tick);
}

uint64_t janitor_state::backlog() const {
  uint64_t sum = 0;
  for (const auto& x : sweeps)
    sum += x.backlog;
  return sum;
}

actor_status janitor_state::status() const {
  int64_t success_age = -1;
  if (last_success)
    success_age =
        std::chrono::duration_cast<std::chrono::seconds>(self->clock().now() - *last_success)
            .count();
  auto number = [](uint64_t x) { return static_cast<int64_t>(x); };
  actor_status x;
  x.name = name;
  x.state = !last_error.empty() ? "waiting for storage" : is_cleaning ? "cleaning" : "idle";
  x.mailbox = self->mailbox().size();
  x.processed = passes;
  x.since_success_ms = success_age < 0 ? -1 : success_age * 1000;
  x.last_error = last_error;
  x.counters = {{"jobs", number(total.jobs)},
                {"dead_jobs", number(total.dead_jobs)},
                {"events", number(total.events)},
                {"dead_letters", number(total.dead_letters)},
                {"suppressions", number(total.suppressions)},
                {"operations", number(total.operations)},
                {"backlog", number(backlog())},
                {"last_success_s_ago", success_age},
                {"passes", number(passes)},
                {"skipped", number(skipped)},
                {"errors", number(errors)}};
  return x;
}

janitor_actor::behavior_type janitor(janitor_actor::stateful_pointer<janitor_state> self,
                                     const measured<retention_config>& config,
                                     const janitor_store_ptr& store) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.store = store;
  state.batch_size = config.batch;
  state.arm(jittered(std::min(config.interval, soon)));
  return {
      [self](clean_now) { return self->state.clean(); },
      [self](const janitor_tick& x) { self->state.on_tick(x); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
