#include "actors/job_dispatcher.hpp"

#include "actors/batch_trace.hpp"
#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <cmath>

// Workers, gates and claims. What becomes of leases stands in job_dispatcher_leases.cpp.

namespace notify {

using namespace std::chrono_literals;

namespace {

constexpr caf::timespan first_backoff = 200ms;
constexpr caf::timespan max_backoff = 10s;

/// `x` plus up to a tenth, so that processes do not poll in step.
caf::timespan jittered(caf::timespan x) {
  return x
         + caf::timespan{static_cast<int64_t>(static_cast<double>(x.count()) * random_unit() / 10)};
}

} // namespace

job_dispatcher_state::worker_info*
job_dispatcher_state::enlist(const std::string& channel, const delivery_worker_actor& worker) {
  if (!lanes.contains(channel))
    return nullptr;
  auto [entry, is_new] = workers.try_emplace(worker.id(), worker_info{channel, std::nullopt});
  if (is_new) {
    self->monitor(worker);
    lanes.at(channel).add_member();
  }
  return &entry->second;
}

void job_dispatcher_state::end_assignment(worker_info& x) {
  if (!x.current)
    return;
  close_job(x.current->attempt.lease_id);
  x.current.reset();
  lanes.at(x.channel).worker_finished();
}

void job_dispatcher_state::on_ready(const worker_ready& x) {
  auto* info = enlist(x.channel, x.worker);
  if (info == nullptr)
    return;
  end_assignment(*info);
  auto& lane = lanes.at(x.channel);
  lane.add_idle(x.worker);
  if (stopping) {
    quit_if_drained();
    return;
  }
  hand_out(lane);
  if (lane.maybe_due && lane.appetite() > 0)
    want_claim();
}

void job_dispatcher_state::on_busy(const worker_busy& x) {
  auto* info = enlist(x.channel, x.worker);
  if (info == nullptr || info->current)
    return;
  info->current = assignment{x.attempt, x.lease_size, x.reclaims, self->clock().now(), x.origin};
  lanes.at(x.channel).worker_started();
  // Taken over from a dispatcher that crashed: nobody else renews this lease now.
  auto& entry = leases[x.attempt.lease_id];
  ++entry.open;
  entry.good_until = self->clock().now() + config.delivery.lease;
  keep_heartbeat();
}

void job_dispatcher_state::on_returned(const job_returned& x) {
  auto* info = enlist(x.channel, x.worker);
  if (info == nullptr)
    return;
  if (info->current) {
    // The lease stays ours until the job is back in the queue.
    info->current.reset();
    lanes.at(x.channel).worker_finished();
    returned.push_back(x.attempt);
    want_release();
  }
  auto& lane = lanes.at(x.channel);
  lane.add_idle(x.worker);
  if (stopping)
    quit_if_drained();
  else
    hand_out(lane);
}

void job_dispatcher_state::on_hint(const jobs_ready& x) {
  for (const auto& channel : x.channels) {
    auto entry = lanes.find(channel);
    if (entry != lanes.end())
      entry->second.maybe_due = true;
  }
  want_claim();
}

void job_dispatcher_state::on_gate(const channel_gate& x) {
  auto entry = lanes.find(x.channel);
  if (entry == lanes.end())
    return;
  auto& lane = entry->second;
  lane.set_gate(x.max_in_flight);
  if (lane.is_closed()) {
    return_waiting(lane);
  } else if (!stopping) {
    lane.maybe_due = true;
    hand_out(lane);
    want_claim();
  }
}

caf::result<channel_pause_set> job_dispatcher_state::on_pause(const set_channel_pause& x) {
  auto entry = lanes.find(x.channel);
  if (entry == lanes.end())
    return caf::make_error(ec::invalid_config, "no channel " + x.channel + " is delivered here");
  auto changed = store->set_paused(x.channel, x.paused, x.by);
  if (!changed) {
    storage_failed("pause", changed.error());
    return changed.error();
  }
  if (*changed)
    log::info(name, x.paused ? "channel paused" : "channel resumed",
              {{"channel", x.channel}, {"by", x.by}});
  if (x.paused) {
    return_waiting(entry->second);
  } else {
    entry->second.maybe_due = true;
    want_claim();
  }
  return channel_pause_set{x.channel, *changed};
}

void job_dispatcher_state::on_tune(const tune_channel& x) {
  auto entry = lanes.find(x.channel);
  if (entry == lanes.end())
    return;
  entry->second.tune(x);
  if (stopping)
    return;
  entry->second.maybe_due = true;
  hand_out(entry->second);
  want_claim();
}

bool job_dispatcher_state::on_leaving(const worker_leaving& x) {
  auto entry = workers.find(x.worker.id());
  if (entry == workers.end())
    return true;
  auto& info = entry->second;
  if (info.current && info.current->attempt == x.finished)
    end_assignment(info);
  if (info.current)
    return false;
  lanes.at(info.channel).remove_member(x.worker.address());
  workers.erase(entry);
  if (stopping)
    quit_if_drained();
  return true;
}

void job_dispatcher_state::on_worker_down(const caf::down_msg& x) {
  auto entry = workers.find(x.source.id());
  if (entry == workers.end())
    return;
  auto info = std::move(entry->second);
  workers.erase(entry);
  lanes.at(info.channel).remove_member(x.source);
  if (info.current) {
    ++worker_crashes;
    if (!stopping)
      report_crash(info.channel, *info.current);
    end_assignment(info);
  }
  if (stopping)
    quit_if_drained();
}

void job_dispatcher_state::want_claim() {
  if (claim_scheduled || stopping)
    return;
  claim_scheduled = true;
  if (backoff == caf::timespan{0})
    self->send(self, claim_tick{});
  else
    self->delayed_send(self, jittered(backoff), claim_tick{});
}

void job_dispatcher_state::on_claim() {
  claim_scheduled = false;
  if (stopping)
    return;
  auto again = false;
  for (auto& [channel, lane] : lanes) {
    if (!claim_for(channel, lane)) {
      want_claim();
      return;
    }
    again = again || (lane.maybe_due && lane.appetite() > 0);
  }
  // Also if all lanes are full or closed: then there was nothing to claim for.
  success.succeeded(self->clock().now());
  if (again)
    want_claim();
}

bool job_dispatcher_state::claim_for(const std::string& channel, channel_lane& x) {
  auto limit = x.maybe_due ? x.appetite() : 0;
  if (limit == 0)
    return true;
  auto asked = self->clock().now();
  auto asked_us = config.trace ? tracer::now_us() : 0;
  auto jobs = store->claim(channel, limit, config.delivery.lease);
  if (!jobs) {
    trace_failed_claim(config.trace, channel, asked_us, jobs.error());
    storage_failed("claim", jobs.error());
    return false;
  }
  trace_claim(config.trace, channel, asked_us, *jobs);
  backoff = caf::timespan{0};
  ++claims;
  claimed += jobs->size();
  config.metrics->delivery.claims.Increment();
  config.metrics->channel(channel).claimed.Increment(static_cast<double>(jobs->size()));
  x.maybe_due = jobs->size() == limit;
  if (jobs->empty())
    return true;
  leases[jobs->front().lease_id] = {static_cast<uint32_t>(jobs->size()),
                                    asked + config.delivery.lease};
  keep_heartbeat();
  return take_jobs(channel, x, std::move(*jobs));
}

bool job_dispatcher_state::take_jobs(const std::string& channel, channel_lane& x,
                                     std::vector<delivery_job> jobs) {
  auto now = self->clock().now();
  auto first = now;
  if (x.interval().count() > 0) {
    auto wait = store->reserve_sends(channel, static_cast<uint32_t>(jobs.size()), x.interval());
    if (!wait) {
      // Without a moment to send there is no sending.
      for (const auto& job : jobs)
        returned.push_back({job.job_id, job.attempt_no, job.lease_id});
      storage_failed("reserve_sends", wait.error());
      want_release();
      return false;
    }
    first = self->clock().now() + *wait; // Counted from its answer.
  }
  x.add_jobs(std::move(jobs), now, first);
  hand_out(x);
  return true;
}

void job_dispatcher_state::hand_out(channel_lane& x) {
  auto now = self->clock().now();
  while (auto pair = x.next(now)) {
    auto& [worker, job] = *pair;
    auto lease = leases.find(job.lease_id);
    if (lease == leases.end() || lease->second.good_until <= now) {
      // Lost while it waited here: the reaper gives it to somebody, perhaps to us again.
      close_job(job.lease_id);
      x.add_idle(worker);
      continue;
    }
    x.worker_started();
    start_job(worker, std::move(job));
  }
  keep_pace(x);
}

void job_dispatcher_state::keep_pace(const channel_lane& x) {
  auto moment = x.next_moment();
  if (!moment || pace_at <= *moment)
    return;
  pace_at = *moment;
  auto wait = std::max<caf::timespan>(*moment - self->clock().now(), 0s);
  self->delayed_send(self, wait, pace_tick{});
}

void job_dispatcher_state::on_pace() {
  pace_at = clock_type::time_point::max();
  if (stopping)
    return;
  for (auto& [channel, lane] : lanes) {
    hand_out(lane);
    if (lane.maybe_due && lane.appetite() > 0)
      want_claim();
  }
}

void job_dispatcher_state::start_job(const delivery_worker_actor& worker, delivery_job job) {
  workers.at(worker.id()).current = assignment{{job.job_id, job.attempt_no, job.lease_id},
                                               job.lease_size,
                                               job.reclaims,
                                               self->clock().now(),
                                               {job.event_id, job.correlation_id, {}}};
  self->send(worker, deliver{std::move(job)});
}

void job_dispatcher_state::on_poll() {
  if (stopping)
    return;
  for (auto& entry : lanes)
    entry.second.maybe_due = true;
  want_claim();
  self->delayed_send(self, jittered(config.delivery.poll_interval), poll_jobs_tick{});
}

void job_dispatcher_state::storage_failed(const char* what, const caf::error& err) {
  last_error = std::string{what} + ": " + render(err);
  config.metrics->delivery.storage_failures.Increment();
  if (backoff == caf::timespan{0})
    log::repeated(log::level::warning, name, "storage failed, will try again",
                  {{"call", what}, {"error", render(err)}});
  backoff = std::clamp(backoff * 2, first_backoff, max_backoff);
}

actor_status job_dispatcher_state::status() const {
  actor_status result;
  result.name = name;
  result.state = stopping                     ? "stopping"
                 : backoff > caf::timespan{0} ? "waiting for storage"
                                              : "running";
  result.mailbox = self->mailbox().size();
  result.processed = claimed;
  result.since_success_ms = success.at(self->clock().now());
  result.last_error = last_error;
  result.counters = {{"claims", static_cast<int64_t>(claims)},
                     {"leases", static_cast<int64_t>(leases.size())},
                     {"lost_leases", static_cast<int64_t>(lost_leases)},
                     {"released", static_cast<int64_t>(released)},
                     {"worker_crashes", static_cast<int64_t>(worker_crashes)},
                     {"workers", static_cast<int64_t>(workers.size())},
                     {"busy", static_cast<int64_t>(busy_workers())}};
  for (const auto& [channel, lane] : lanes) {
    result.counters["idle_" + channel] = static_cast<int64_t>(lane.idle());
    result.counters["waiting_" + channel] = static_cast<int64_t>(lane.waiting());
    result.counters["busy_" + channel] = static_cast<int64_t>(lane.busy());
    result.counters["closed_" + channel] = lane.is_closed() ? 1 : 0;
    result.counters["slots_" + channel] = static_cast<int64_t>(lane.config().slots);
    result.counters["prefetch_" + channel] = static_cast<int64_t>(lane.config().prefetch);
    result.counters["rate_per_1000_s_" + channel] = std::llround(lane.config().rate * 1000);
  }
  return result;
}

job_dispatcher_actor::behavior_type
job_dispatcher(job_dispatcher_actor::stateful_pointer<job_dispatcher_state> self,
               const job_dispatcher_config& config, const claim_store_ptr& store,
               const directory_ptr& dir) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.store = store;
  state.dir = dir;
  for (const auto& [channel, settings] : config.channels)
    state.lanes.emplace(channel, channel_lane{settings});
  self->set_down_handler([self](caf::down_msg& x) { self->state.on_worker_down(x); });
  self->set_exit_handler([self](caf::exit_msg& x) {
    if (x.reason == caf::exit_reason::kill)
      self->quit(x.reason);
    else
      self->state.stop();
  });
  self->delayed_send(self, jittered(config.delivery.poll_interval), poll_jobs_tick{});
  return {
      [self](const worker_ready& x) { self->state.on_ready(x); },
      [self](const worker_busy& x) { self->state.on_busy(x); },
      [self](const job_returned& x) { self->state.on_returned(x); },
      [self](const channel_gate& x) { self->state.on_gate(x); },
      [self](const worker_leaving& x) { return self->state.on_leaving(x); },
      [self](const tune_channel& x) { self->state.on_tune(x); },
      [self](const set_channel_pause& x) { return self->state.on_pause(x); },
      [self](const jobs_ready& x) { self->state.on_hint(x); },
      [self](claim_tick) { self->state.on_claim(); },
      [self](poll_jobs_tick) { self->state.on_poll(); },
      [self](heartbeat_tick) { self->state.on_heartbeat(); },
      [self](release_tick) { self->state.on_release(); },
      [self](pace_tick) { self->state.on_pace(); },
      [self](drain_timeout) { self->state.on_drain_timeout(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
