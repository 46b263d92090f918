#include "actors/job_dispatcher.hpp"

#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>

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

uint32_t job_dispatcher_state::channel_lane::appetite() const {
  // Without a worker of ours the jobs are for other processes. Claiming again only when half of
  // the prefetch is used up keeps the claims large.
  if (members == 0 || (idle.empty() && waiting.size() > config.prefetch / 2))
    return 0;
  auto room = idle.size() + config.prefetch;
  return room > waiting.size() ? static_cast<uint32_t>(room - waiting.size()) : 0;
}

job_dispatcher_state::worker_info*
job_dispatcher_state::enlist(const std::string& channel, const delivery_worker_actor& worker) {
  if (!lanes.contains(channel))
    return nullptr;
  auto [entry, is_new] = workers.try_emplace(worker.id(), worker_info{channel, std::nullopt});
  if (is_new) {
    self->monitor(worker);
    ++lanes.at(channel).members;
  }
  return &entry->second;
}

void job_dispatcher_state::on_ready(const worker_ready& x) {
  auto* info = enlist(x.channel, x.worker);
  if (info == nullptr)
    return;
  if (info->current) {
    close_job(info->current->attempt.lease_id);
    info->current.reset();
  }
  auto& lane = lanes.at(x.channel);
  lane.idle.push_back(x.worker);
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
  info->current = assignment{x.attempt, x.lease_size, x.reclaims, self->clock().now()};
  // Taken over from a dispatcher that crashed: nobody else renews this lease now.
  auto& entry = leases[x.attempt.lease_id];
  ++entry.open;
  entry.good_until = self->clock().now() + config.delivery.lease;
  keep_heartbeat();
}

void job_dispatcher_state::on_hint(const jobs_ready& x) {
  for (const auto& channel : x.channels) {
    auto entry = lanes.find(channel);
    if (entry != lanes.end())
      entry->second.maybe_due = true;
  }
  want_claim();
}

void job_dispatcher_state::on_worker_down(const caf::down_msg& x) {
  auto entry = workers.find(x.source.id());
  if (entry == workers.end())
    return;
  auto info = std::move(entry->second);
  workers.erase(entry);
  auto& lane = lanes.at(info.channel);
  --lane.members;
  std::erase_if(lane.idle, [&](const auto& worker) { return worker.address() == x.source; });
  if (info.current) {
    ++worker_crashes;
    if (!stopping)
      report_crash(*info.current);
    close_job(info.current->attempt.lease_id);
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
  if (again)
    want_claim();
}

bool job_dispatcher_state::claim_for(const std::string& channel, channel_lane& x) {
  auto limit = x.maybe_due ? x.appetite() : 0;
  if (limit == 0)
    return true;
  auto asked = self->clock().now();
  auto jobs = store->claim(channel, limit, config.delivery.lease);
  if (!jobs) {
    storage_failed("claim", jobs.error());
    return false;
  }
  backoff = caf::timespan{0};
  ++claims;
  claimed += jobs->size();
  x.maybe_due = jobs->size() == limit;
  if (!jobs->empty()) {
    auto lease_id = jobs->front().lease_id;
    leases[lease_id] = {static_cast<uint32_t>(jobs->size()), asked + config.delivery.lease};
    keep_heartbeat();
    std::move(jobs->begin(), jobs->end(), std::back_inserter(x.waiting));
    hand_out(x);
  }
  return true;
}

void job_dispatcher_state::hand_out(channel_lane& x) {
  auto now = self->clock().now();
  while (!x.idle.empty() && !x.waiting.empty()) {
    auto job = std::move(x.waiting.front());
    x.waiting.pop_front();
    auto lease = leases.find(job.lease_id);
    if (lease == leases.end() || lease->second.good_until <= now) {
      // Lost while it waited here: the reaper gives it to somebody, perhaps to us again.
      close_job(job.lease_id);
      continue;
    }
    auto worker = std::move(x.idle.front());
    x.idle.pop_front();
    start_job(worker, std::move(job));
  }
}

void job_dispatcher_state::start_job(const delivery_worker_actor& worker, delivery_job job) {
  workers.at(worker.id()).current = assignment{{job.job_id, job.attempt_no, job.lease_id},
                                               job.lease_size,
                                               job.reclaims,
                                               self->clock().now()};
  self->send(worker, deliver{std::move(job)});
}

void job_dispatcher_state::close_job(int64_t lease_id, uint32_t count) {
  auto entry = leases.find(lease_id);
  if (entry == leases.end())
    return;
  entry->second.open -= std::min(entry->second.open, count);
  // A lease whose last job is recorded is deleted with that result; one that lost a job on the
  // way is no longer renewed, expires, and the reaper finds what is missing.
  if (entry->second.open == 0)
    leases.erase(entry);
}

void job_dispatcher_state::keep_heartbeat() {
  if (heartbeat_scheduled)
    return;
  heartbeat_scheduled = true;
  self->delayed_send(self, config.delivery.heartbeat_interval, heartbeat_tick{});
}

void job_dispatcher_state::on_heartbeat() {
  heartbeat_scheduled = false;
  if (leases.empty())
    return;
  std::vector<int64_t> ids;
  ids.reserve(leases.size());
  for (const auto& entry : leases)
    ids.push_back(entry.first);
  auto asked = self->clock().now();
  auto alive = store->heartbeat(ids, config.delivery.lease);
  keep_heartbeat();
  if (!alive) {
    storage_failed("heartbeat", alive.error());
    return;
  }
  std::sort(alive->begin(), alive->end());
  for (auto id : ids) {
    if (std::binary_search(alive->begin(), alive->end(), id))
      leases[id].good_until = asked + config.delivery.lease;
    else
      missed_heartbeat(id);
  }
}

void job_dispatcher_state::missed_heartbeat(int64_t lease_id) {
  size_t dropped = 0;
  for (auto& [channel, lane] : lanes)
    dropped +=
        std::erase_if(lane.waiting, [&](const auto& job) { return job.lease_id == lease_id; });
  // A lease whose last result was recorded a moment ago is gone as well, and its workers are just
  // about to say so: only one that stays in doubt, or had unstarted jobs, was lost.
  auto& entry = leases.at(lease_id);
  if (dropped == 0 && !entry.missed) {
    entry.missed = true;
    return;
  }
  ++lost_leases;
  leases.erase(lease_id);
  log::warning(name, "lease lost", {{"lease_id", lease_id}, {"unstarted_jobs", dropped}});
}

void job_dispatcher_state::report_crash(const assignment& lost) {
  attempt_result result;
  result.attempt = lost.attempt;
  result.lease_size = lost.lease_size;
  result.result = "abandoned";
  result.answer.reason = "worker_crashed";
  result.counts_as_failure = false;
  result.counts_as_reclaim = true;
  result.started_ago = std::chrono::duration_cast<caf::timespan>(self->clock().now() - lost.since);
  auto exhausted = lost.reclaims + 1 > config.reclaim_cap;
  result.next = exhausted ? next_step::dead : next_step::retry;
  if (exhausted)
    result.answer.reason = "reclaim_limit";
  // The distance doubles: whatever crashes a worker should not crash one after the other.
  result.delay = std::min<caf::timespan>(1s * (1LL << std::min(lost.reclaims, 6)), 1min);
  auto writer = dir->result_writer(static_cast<size_t>(lost.attempt.lease_id)
                                   % config.delivery.result_writers);
  // Without a writer the lease is not renewed any more and the reaper does the same, later.
  if (writer)
    self->send(writer, record_result{std::move(result), delivery_worker_actor{}});
  log::warning(
      name, "worker crashed with a job",
      {{"job_id", to_string(lost.attempt.job_id)}, {"attempt_no", lost.attempt.attempt_no}});
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
  if (backoff == caf::timespan{0})
    log::warning(name, "storage failed, will try again", {{"call", what}, {"error", render(err)}});
  backoff = std::clamp(backoff * 2, first_backoff, max_backoff);
}

void job_dispatcher_state::stop() {
  if (stopping)
    return;
  stopping = true;
  for (auto& [channel, lane] : lanes) {
    for (const auto& job : lane.waiting) {
      given_back.push_back({job.job_id, job.attempt_no, job.lease_id});
      close_job(job.lease_id);
    }
    lane.waiting.clear();
  }
  if (!given_back.empty()) {
    auto released = store->release(given_back);
    if (!released)
      storage_failed("release", released.error());
    else
      log::info(name, "gave back unstarted jobs", {{"jobs", *released}});
  }
  self->delayed_send(self, config.delivery.drain_timeout, drain_timeout{});
  quit_if_drained();
}

void job_dispatcher_state::quit_if_drained() {
  if (busy_workers() > 0)
    return;
  // Of a lease that was given back in part nobody counts the rest; by now that is recorded, and the
  // same call again ends the lease. Without it the row would only wait for its expiry.
  if (!given_back.empty())
    store->release(given_back);
  self->quit();
}

size_t job_dispatcher_state::busy_workers() const {
  return static_cast<size_t>(std::count_if(workers.begin(), workers.end(), [](const auto& entry) {
    return entry.second.current.has_value();
  }));
}

actor_status job_dispatcher_state::status() const {
  actor_status result;
  result.name = name;
  result.state = stopping                     ? "stopping"
                 : backoff > caf::timespan{0} ? "waiting for storage"
                                              : "running";
  result.mailbox = self->mailbox().size();
  result.processed = claimed;
  result.last_error = last_error;
  result.counters = {{"claims", static_cast<int64_t>(claims)},
                     {"leases", static_cast<int64_t>(leases.size())},
                     {"lost_leases", static_cast<int64_t>(lost_leases)},
                     {"worker_crashes", static_cast<int64_t>(worker_crashes)},
                     {"workers", static_cast<int64_t>(workers.size())},
                     {"busy", static_cast<int64_t>(busy_workers())}};
  for (const auto& [channel, lane] : lanes) {
    result.counters["idle_" + channel] = static_cast<int64_t>(lane.idle.size());
    result.counters["waiting_" + channel] = static_cast<int64_t>(lane.waiting.size());
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
    state.lanes[channel].config = settings;
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
      [self](const jobs_ready& x) { self->state.on_hint(x); },
      [self](claim_tick) { self->state.on_claim(); },
      [self](poll_jobs_tick) { self->state.on_poll(); },
      [self](heartbeat_tick) { self->state.on_heartbeat(); },
      [self](drain_timeout) {
        if (self->state.stopping)
          self->quit();
      },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
