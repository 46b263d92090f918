#include "actors/job_dispatcher.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>

// What becomes of leases: renewed, lost, given back, reported, and brought to an orderly end.

namespace notify {

using namespace std::chrono_literals;

namespace {

/// For the answers of sends that were cut, and for recording them.
constexpr caf::timespan cut_grace = 3s;

} // namespace

void job_dispatcher_state::close_job(int64_t lease_id) {
  auto entry = leases.find(lease_id);
  if (entry == leases.end())
    return;
  // A lease whose last job is recorded is deleted with that result; one that lost a job on the
  // way is no longer renewed, expires, and the reaper finds what is missing.
  if (--entry->second.open == 0)
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
  for (auto& entry : lanes)
    dropped += entry.second.drop_lease(lease_id);
  // A lease whose last result was recorded a moment ago is gone as well, and its workers are just
  // about to say so: only one that stays in doubt, or had unstarted jobs, was lost.
  auto& entry = leases.at(lease_id);
  if (dropped == 0 && !entry.missed) {
    entry.missed = true;
    return;
  }
  ++lost_leases;
  config.metrics->delivery.leases_lost.Increment();
  leases.erase(lease_id);
  log::warning(name, "lease lost", {{"lease_id", lease_id}, {"unstarted_jobs", dropped}});
}

void job_dispatcher_state::return_waiting(channel_lane& x) {
  for (const auto& waiting : x.take_waiting())
    returned.push_back({waiting.job.job_id, waiting.job.attempt_no, waiting.job.lease_id});
  want_release();
}

void job_dispatcher_state::want_release() {
  if (release_scheduled || returned.empty())
    return;
  release_scheduled = true;
  if (backoff == caf::timespan{0})
    self->send(self, release_tick{});
  else
    self->delayed_send(self, backoff, release_tick{});
}

void job_dispatcher_state::on_release() {
  release_scheduled = false;
  if (returned.empty())
    return;
  auto count = store->release(returned);
  if (!count) {
    storage_failed("release", count.error());
    want_release();
    return;
  }
  backoff = caf::timespan{0};
  released += *count;
  config.metrics->delivery.given_back.Increment(static_cast<double>(*count));
  log::info(name, "gave back unsent jobs", {{"jobs", *count}});
  for (const auto& x : returned)
    close_job(x.lease_id);
  if (stopping)
    given_back.insert(given_back.end(), returned.begin(), returned.end());
  returned.clear();
  if (stopping)
    quit_if_drained();
}

void job_dispatcher_state::report_crash(const std::string& channel, const assignment& lost) {
  attempt_result result;
  result.attempt = lost.attempt;
  result.lease_size = lost.lease_size;
  result.result = "abandoned";
  result.answer.reason = "worker_crashed";
  result.counts_as_failure = false;
  result.counts_as_reclaim = true;
  result.origin = lost.origin;
  result.started_ago = std::chrono::duration_cast<caf::timespan>(self->clock().now() - lost.since);
  if (lost.reclaims >= config.reclaim_cap) {
    result.next = next_step::dead;
    result.dead_reason = result.answer.reason = "reclaim_limit";
    config.metrics->channel(channel).dead[result.dead_reason].Increment();
  }
  config.metrics->channel(channel).attempts[result.result].Increment();
  config.metrics->delivery.reclaims_crashed.Increment();
  // The distance doubles: whatever crashes a worker should not crash one after the other.
  result.delay = std::min<caf::timespan>(1s * (1LL << std::min(lost.reclaims, 6)), 1min);
  auto writer = dir->result_writer(static_cast<size_t>(lost.attempt.lease_id)
                                   % config.delivery.result_writers);
  // Without a writer the lease is not renewed any more and the reaper does the same, later.
  if (writer)
    self->send(writer, record_result{std::move(result), delivery_worker_actor{}});
  log::warning(name, "worker crashed with a job",
               {{"job_id", to_string(lost.attempt.job_id)},
                {"event_id", to_string(lost.origin.event_id)},
                {"correlation_id", lost.origin.correlation_id},
                {"attempt_no", lost.attempt.attempt_no}});
}

void job_dispatcher_state::stop() {
  if (stopping)
    return;
  stopping = true;
  for (auto& entry : lanes)
    return_waiting(entry.second);
  self->delayed_send(self, config.delivery.drain_timeout, drain_timeout{});
  if (returned.empty())
    quit_if_drained();
  else
    on_release();
}

void job_dispatcher_state::on_drain_timeout() {
  if (!stopping)
    return;
  if (cut) {
    log::warning(name, "stopped with sends in flight; their leases will expire",
                 {{"jobs", busy_workers()}});
    self->quit();
    return;
  }
  cut = true;
  for (const auto& entry : lanes)
    if (auto client = dir->provider_client(entry.first))
      self->send(client, cut_sends{});
  self->delayed_send(self, cut_grace, drain_timeout{});
}

void job_dispatcher_state::quit_if_drained() {
  if (busy_workers() > 0 || !returned.empty())
    return;
  // Of a lease that was given back in part nobody counts the rest; by now that is recorded, and the
  // same call again ends the lease. Without it the row would only wait for its expiry.
  if (!given_back.empty())
    store->release(given_back);
  self->quit();
}

size_t job_dispatcher_state::busy_workers() const {
  size_t result = 0;
  for (const auto& entry : lanes)
    result += entry.second.busy();
  return result;
}

} // namespace notify
