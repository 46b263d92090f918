#include "actors/result_writer.hpp"

#include "actors/crash_report.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace notify {

using namespace std::chrono_literals;

namespace {

constexpr caf::timespan first_backoff = 100ms;
constexpr caf::timespan max_backoff = 5s;

/// Leases of other processes' making or long gone; far above what is in flight at once.
constexpr size_t max_tracked_leases = 10000;

} // namespace

void result_writer_state::on_record(record_result x) {
  auto key = std::pair{x.result.attempt.job_id, x.result.attempt.attempt_no};
  auto [entry, is_new] = waiting_since.try_emplace(key, first_number + pending.size());
  if (!is_new) {
    // A worker that got no answer says it again; only its address may have changed.
    pending.at(entry->second - first_number).worker = x.worker;
    return;
  }
  pending.push_back(std::move(x));
  want_flush();
}

void result_writer_state::want_flush() {
  if (flush_scheduled)
    return;
  flush_scheduled = true;
  // Behind everything that is in the mailbox by now: that is the batch.
  if (backoff == caf::timespan{0})
    self->send(self, flush_tick{});
  else
    self->delayed_send(self, backoff, flush_tick{});
}

void result_writer_state::on_flush() {
  flush_scheduled = false;
  while (!pending.empty())
    if (!flush_batch()) {
      want_flush();
      return;
    }
  if (!flush_late())
    want_flush();
}

bool result_writer_state::flush_late() {
  while (!late.empty()) {
    auto changed = store->record_late_success(late.front());
    if (!changed && is_transient(changed.error())) {
      storage_failed(changed.error());
      return false;
    }
    if (!changed)
      log::error(name, "a late success was refused",
                 {{"job_id", to_string(late.front().attempt.job_id)},
                  {"event_id", to_string(late.front().origin.event_id)},
                  {"correlation_id", late.front().origin.correlation_id},
                  {"error", render(changed.error())}});
    if (changed && *changed) {
      ++late_successes;
      config.metrics->delivery.late_successes.Increment();
    }
    late.pop_front();
  }
  return true;
}

void result_writer_state::storage_failed(const caf::error& err) {
  last_error = render(err);
  if (backoff == caf::timespan{0})
    log::repeated(log::level::warning, name, "storage failed, results are kept",
                  {{"results", pending.size() + late.size()}, {"error", last_error}});
  backoff = std::clamp(backoff * 2, first_backoff, max_backoff);
}

bool result_writer_state::flush_batch() {
  auto count = std::min(pending.size(), config.batch);
  std::vector<attempt_result> results;
  results.reserve(count);
  for (size_t i = 0; i < count; ++i)
    results.push_back(pending[i].result);
  auto applied = store_results(results);
  if (!applied) {
    storage_failed(applied.error());
    return false;
  }
  backoff = caf::timespan{0};
  success.succeeded(self->clock().now());
  note_progress(results);
  answer(count, *applied);
  return true;
}

caf::expected<std::vector<bool>>
result_writer_state::store_results(const std::vector<attempt_result>& results) {
  ++transactions;
  auto applied = store->record(results, completed_leases(results));
  if (!applied && applied.error() == ec::storage_data)
    return isolate(results);
  return applied;
}

caf::expected<std::vector<bool>>
result_writer_state::isolate(const std::vector<attempt_result>& results) {
  if (results.size() > 1) {
    auto middle = results.begin() + static_cast<std::ptrdiff_t>(results.size() / 2);
    std::vector<bool> applied;
    for (const auto& half :
         {std::vector(results.begin(), middle), std::vector(middle, results.end())}) {
      auto part = store_results(half);
      if (!part)
        return part;
      applied.insert(applied.end(), part->begin(), part->end());
    }
    return applied;
  }
  ++refused;
  config.metrics->delivery.refused_texts.Increment();
  auto plain = results;
  auto& answer = plain.front().answer;
  log::error(name, "the database refused an attempt's description, recorded without it",
             {{"job_id", to_string(plain.front().attempt.job_id)},
              {"event_id", to_string(plain.front().origin.event_id)},
              {"correlation_id", plain.front().origin.correlation_id},
              {"attempt_no", plain.front().attempt.attempt_no}});
  answer.detail.clear();
  answer.provider_code.clear();
  answer.provider_message_id.clear();
  return store->record(plain, completed_leases(plain));
}

std::vector<int64_t>
result_writer_state::completed_leases(const std::vector<attempt_result>& results) {
  std::unordered_map<int64_t, std::unordered_set<uuid>> fresh;
  std::vector<int64_t> done;
  for (const auto& x : results) {
    auto known = leases.find(x.attempt.lease_id);
    if (known != leases.end() && known->second.recorded.contains(x.attempt.job_id))
      continue;
    auto& jobs = fresh[x.attempt.lease_id];
    jobs.insert(x.attempt.job_id);
    auto before = known == leases.end() ? 0 : known->second.recorded.size();
    if (before + jobs.size() == x.lease_size)
      done.push_back(x.attempt.lease_id);
  }
  std::sort(done.begin(), done.end());
  return done;
}

void result_writer_state::note_progress(const std::vector<attempt_result>& results) {
  for (const auto& x : results) {
    if (x.attempt.lease_id == 0)
      continue; // A late success: its lease was settled before.
    auto& progress = leases[x.attempt.lease_id];
    progress.recorded.insert(x.attempt.job_id);
    // A crash report of a job that was taken over from another dispatcher has no size: then the
    // lease is left to expire.
    progress.size = std::max(progress.size, x.lease_size);
    if (progress.size != 0 && progress.recorded.size() >= progress.size)
      leases.erase(x.attempt.lease_id);
  }
  // A forgotten lease only lives until it expires, and the reaper finds every job recorded.
  if (leases.size() > max_tracked_leases)
    leases.clear();
}

void result_writer_state::answer(size_t count, const std::vector<bool>& applied) {
  for (size_t i = 0; i < count; ++i) {
    auto x = std::move(pending.front());
    pending.pop_front();
    ++first_number;
    const auto& attempt = x.result.attempt;
    waiting_since.erase({attempt.job_id, attempt.attempt_no});
    auto first = i < applied.size() && applied[i];
    if (first) {
      ++recorded;
    } else if (x.result.next == next_step::sent) {
      late.push_back(x.result);
    } else {
      ++superseded;
      config.metrics->delivery.superseded.Increment();
    }
    if (x.worker)
      self->send(x.worker, result_recorded{attempt.job_id, attempt.attempt_no, first});
  }
}

void result_writer_state::stop() {
  on_flush();
  if (!pending.empty() || !late.empty())
    log::warning(name, "stopped with unrecorded results; their leases will expire",
                 {{"results", pending.size() + late.size()}});
  self->quit();
}

actor_status result_writer_state::status() const {
  actor_status x;
  x.name = name;
  x.state = backoff > caf::timespan{0} ? "waiting for storage" : "running";
  x.mailbox = self->mailbox().size();
  x.processed = recorded;
  x.since_success_ms = success.at(self->clock().now());
  x.last_error = last_error;
  x.counters = {{"pending", static_cast<int64_t>(pending.size())},
                {"transactions", static_cast<int64_t>(transactions)},
                {"refused", static_cast<int64_t>(refused)},
                {"late_successes", static_cast<int64_t>(late_successes)},
                {"superseded", static_cast<int64_t>(superseded)}};
  return x;
}

result_writer_actor::behavior_type
result_writer(result_writer_actor::stateful_pointer<result_writer_state> self,
              const result_writer_config& config, const result_store_ptr& store) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.store = store;
  self->set_exit_handler([self](caf::exit_msg& x) {
    if (x.reason == caf::exit_reason::kill)
      self->quit(x.reason);
    else
      self->state.stop();
  });
  return {
      [self](record_result& x) { self->state.on_record(std::move(x)); },
      [self](flush_tick) { self->state.on_flush(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
