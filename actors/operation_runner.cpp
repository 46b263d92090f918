#include "actors/operation_runner.hpp"

#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>

namespace notify {

namespace {

/// No batch is made smaller than this.
constexpr uint32_t fewest_acts = 10;

/// Up to half more: the runners of many processes should not meet.
caf::timespan jittered(caf::timespan x) {
  auto more = static_cast<double>(x.count()) * random_unit() / 2;
  return x + caf::timespan{static_cast<int64_t>(more)};
}

} // namespace

void operation_runner_state::on_tick(const operation_tick& tick) {
  if (tick.generation != generation)
    return;
  auto step = store->work(batch);
  if (!step)
    return fail(step.error());
  last_error.clear();
  last_success = self->clock().now();
  is_working = step->id != 0;
  if (!is_working)
    return arm(jittered(config.interval));
  ++batches;
  matched += step->matched;
  done += step->done;
  batch.acts = std::min(2 * batch.acts, config.batch.acts);
  if (step->is_over) {
    ++finished;
    log::info(name, "operation done", {{"operation", step->id}});
  }
  arm(config.pause);
}

void operation_runner_state::arm(caf::timespan delay) {
  // Whatever was under way before is stale now.
  operation_tick tick{++generation};
  if (delay.count() == 0)
    self->send(self, tick);
  else
    self->delayed_send(self, delay, tick);
}

void operation_runner_state::fail(const caf::error& err) {
  ++errors;
  last_error = render(err);
  log::warning(name, "a batch failed; the operation goes on from there later",
               {{"error", last_error}});
  // A deadlock or a timeout: less may go through where more does not.
  if (err == ec::storage_conflict)
    batch.acts = std::max(batch.acts / 4, std::min(fewest_acts, config.batch.acts));
  arm(jittered(config.interval));
}

actor_status operation_runner_state::status() const {
  auto number = [](uint64_t x) { return static_cast<int64_t>(x); };
  actor_status x;
  x.name = name;
  x.state = !last_error.empty() ? "waiting for storage" : is_working ? "working" : "idle";
  x.mailbox = self->mailbox().size();
  x.processed = batches;
  if (last_success)
    x.since_success_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(self->clock().now() - *last_success)
            .count();
  x.last_error = last_error;
  x.counters = {{"matched", number(matched)},
                {"done", number(done)},
                {"finished", number(finished)},
                {"errors", number(errors)}};
  return x;
}

operation_runner_actor::behavior_type
operation_runner(operation_runner_actor::stateful_pointer<operation_runner_state> self,
                 const operation_runner_config& config, const operation_store_ptr& store) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.batch = config.batch;
  state.store = store;
  state.arm(jittered(config.interval));
  return {
      [self](const operation_stored&) { self->state.arm(caf::timespan{0}); },
      [self](const operation_tick& x) { self->state.on_tick(x); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
