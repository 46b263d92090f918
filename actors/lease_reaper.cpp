#include "actors/lease_reaper.hpp"

#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

namespace notify {

namespace {

void add(const reap_report& part, reap_report& sum) {
  sum.leases += part.leases;
  sum.released += part.released;
  for (const auto& [channel, jobs] : part.dead)
    sum.dead[channel] += jobs;
}

} // namespace

caf::result<reap_report> lease_reaper_state::reap() {
  ++passes;
  reap_report sum;
  for (;;) {
    auto report = store->reap(config.batch_leases, config.reclaim_cap);
    if (!report) {
      last_error = render(report.error());
      log::repeated(log::level::warning, name, "pass failed", {{"error", last_error}});
      return report.error();
    }
    last_error.clear();
    add(*report, sum);
    measure(*report);
    if (report->leases < config.batch_leases)
      break;
  }
  success.succeeded(self->clock().now());
  add(sum, total);
  auto dead = count_dead(sum);
  if (sum.released + dead > 0)
    log::warning(name, "expired leases ended",
                 {{"leases", sum.leases}, {"released", sum.released}, {"dead", dead}});
  return sum;
}

void lease_reaper_state::measure(const reap_report& x) {
  auto& to = *config.metrics;
  to.delivery.reclaims_expired.Increment(static_cast<double>(x.released + count_dead(x)));
  for (const auto& [channel, jobs] : x.dead)
    to.channel(channel).dead["reclaim_limit"].Increment(static_cast<double>(jobs));
}

void lease_reaper_state::on_tick() {
  reap();
  arm();
}

void lease_reaper_state::arm() {
  // Up to half an interval more: the reapers of many processes should not meet.
  auto jitter = static_cast<double>(config.interval.count()) * random_unit() / 2;
  self->delayed_send(self, config.interval + caf::timespan{static_cast<int64_t>(jitter)},
                     reap_tick{});
}

actor_status lease_reaper_state::status() const {
  actor_status x;
  x.name = name;
  x.state = last_error.empty() ? "running" : "waiting for storage";
  x.mailbox = self->mailbox().size();
  x.processed = passes;
  x.since_success_ms = success.at(self->clock().now());
  x.last_error = last_error;
  x.counters = {{"leases", static_cast<int64_t>(total.leases)},
                {"released", static_cast<int64_t>(total.released)},
                {"dead", static_cast<int64_t>(count_dead(total))}};
  return x;
}

lease_reaper_actor::behavior_type
lease_reaper(lease_reaper_actor::stateful_pointer<lease_reaper_state> self,
             const measured<reaper_config>& config, const reaper_store_ptr& store) {
  report_crashes(self);
  self->state.config = config;
  self->state.store = store;
  self->state.arm();
  return {
      [self](reap_now) { return self->state.reap(); },
      [self](reap_tick) { self->state.on_tick(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
