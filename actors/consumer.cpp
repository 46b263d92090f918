#include "actors/consumer.hpp"

#include "actors/crash_report.hpp"
#include "actors/kafka/consumer_handle.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Longest wait of one poll: also how late a message to an idle consumer may be served.
constexpr caf::timespan idle_poll = 100ms;

/// While answers of writers are due, so that they are served at once.
constexpr caf::timespan busy_poll = 1ms;

/// While something else than a record is due.
constexpr caf::timespan waiting_poll = 5ms;

/// Distance between two looks at a full buffer; a writer's answer makes room in between.
constexpr caf::timespan full_pause = 2ms;

} // namespace

consumer_state::consumer_state(pointer selfptr) : self(selfptr) {}

consumer_state::time_point consumer_state::now() const {
  return self->clock().now();
}

void consumer_state::start() {
  // A probe: joining with a dead database would only take partitions away from others.
  batches[++last_batch] = {};
  retry(last_batch);
}

void consumer_state::join() {
  if (auto err = source->join()) {
    log::repeated(log::level::error, name, "cannot join the group", {{"error", render(err)}});
    self->quit(std::move(err));
    return;
  }
  log::info(name, "storage answers, joining the group", {{"group", config.group}});
  step = phase::running;
  self->send(self, poll_tick{});
}

void consumer_state::on_poll_tick() {
  auto polled = fetch();
  finish_revoke_if_due();
  dispatch();
  update_gate();
  commit_if_due();
  show_state();
  if (advance_stop())
    return;
  if (polled)
    self->send(self, poll_tick{});
  else
    self->delayed_send(self, full_pause, poll_tick{});
}

caf::timespan consumer_state::poll_timeout() const {
  if (any_in_flight())
    return busy_poll;
  if (step != phase::running || revoking || buffer.records() > 0)
    return waiting_poll;
  return idle_poll;
}

void consumer_state::stop(const caf::error& reason) {
  if (step > phase::running || !reason)
    return;
  if (step == phase::probing) {
    self->quit(reason);
    return;
  }
  log::info(name, "stopping", {{"buffered", buffer.records()}, {"batches", batches.size()}});
  step = phase::draining;
  stop_reason = reason;
  stop_started = now();
  // What no writer has is read again by the next owner.
  buffer.clear();
  std::erase_if(batches, [](const auto& x) { return !x.second.in_flight(); });
  update_gate();
}

bool consumer_state::advance_stop() {
  auto elapsed = now() - stop_started;
  if (step == phase::draining && (!any_in_flight() || elapsed >= config.close_timeout / 2)) {
    step = phase::committing;
    next_commit = now();
    commit_if_due();
  }
  if (step == phase::committing
      && ((!dirty && !commit_in_flight) || failed || elapsed >= config.close_timeout * 3 / 4)) {
    step = phase::closing;
    source->begin_close();
  }
  if (step != phase::closing || (!source->closed() && elapsed < config.close_timeout))
    return false;
  if (source->closed())
    log::info(name, "left the group");
  else
    log::warning(name, "the group did not answer, leaving without it");
  self->quit(stop_reason);
  return true;
}

std::string consumer_state::state_name() const {
  if (step == phase::probing)
    return "waiting for storage";
  if (step != phase::running)
    return "stopping";
  if (revoking)
    return "revoking";
  if (!is_member)
    return stalled.empty() ? "joining" : "stalled";
  // A full buffer closes the gate, too, but that is how a busy consumer lives.
  if (!storage_up)
    return any_halted() ? "halted" : "paused";
  return stalled.empty() ? "assigned" : "stalled";
}

void consumer_state::show_state() const {
  auto& x = config.metrics->kafka;
  auto number = [](size_t n) { return static_cast<double>(n); };
  x.assigned.Set(number(assigned));
  x.paused.Set(gate_open ? 0 : number(assigned));
  x.stalled.Set(number(stalled.size()));
  x.silent.Set(number(silent.size()));
  x.halted.Set(any_halted() ? 1 : 0);
  x.buffered_records.Set(number(held_records()));
  x.buffered_bytes.Set(number(held_bytes()));
}

void consumer_state::show_lag() const {
  std::map<std::pair<std::string, int32_t>, int64_t> records;
  for (const auto& [where, count_behind] : lag)
    records[{where.topic, where.partition}] = count_behind;
  config.metrics->show_lag(records);
}

actor_status consumer_state::status() const {
  actor_status result;
  result.name = name;
  result.state = state_name();
  result.mailbox = self->mailbox().size();
  result.processed = static_cast<uint64_t>(count.records);
  result.since_success_ms = success.at(now());
  result.last_error = last_error;
  if (!stalled.empty())
    result.last_error = to_string(stalled.begin()->first) + ": " + stalled.begin()->second;
  auto in_flight = std::count_if(batches.begin(), batches.end(),
                                 [](const auto& x) { return x.second.in_flight(); });
  result.counters = {
      {"records", count.records},
      {"batches", count.batches},
      {"events", count.events},
      {"jobs", count.jobs},
      {"duplicates", count.duplicates},
      {"dead_letters", count.dead_letters},
      {"rebalances", count.rebalances},
      {"commits", count.commits},
      {"commit_errors", count.commit_errors},
      {"store_errors", count.store_errors},
      {"stale_results", count.stale_results},
      {"late_polls", count.late_polls},
      {"buffered", static_cast<int64_t>(held_records())},
      {"buffered_bytes", static_cast<int64_t>(held_bytes())},
      {"in_flight", static_cast<int64_t>(in_flight)},
      {"assigned", static_cast<int64_t>(assigned)},
      {"paused", gate_open ? 0 : static_cast<int64_t>(assigned)},
      {"stalled", static_cast<int64_t>(stalled.size())},
      {"at_end", static_cast<int64_t>(ends.size())},
      {"silent", static_cast<int64_t>(silent.size())},
  };
  int64_t total = 0;
  for (const auto& [where, records] : lag) {
    total += records;
    result.counters["lag." + to_string(where)] = records;
  }
  if (!lag.empty())
    result.counters["lag"] = total;
  return result;
}

consumer_actor::behavior_type consumer(consumer_state::pointer self,
                                       const measured<consumer_config>& config,
                                       const record_source_factory& make_source,
                                       writer_resolver writers, const tracer& trace) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.writers = std::move(writers);
  state.trace = trace;
  auto source = make_source();
  if (!source) {
    log::error(consumer_state::name, "no source", {{"error", render(source.error())}});
    self->quit(source.error());
    return consumer_actor::behavior_type::make_empty_behavior();
  }
  state.source = std::move(*source);
  self->set_exit_handler([self](caf::exit_msg& x) { self->state.stop(x.reason); });
  state.start();
  return {
      [self](poll_tick) { self->state.on_poll_tick(); },
      [self](const retry_batch& x) { self->state.retry(x.id); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

record_source_factory kafka_records(const consumer_config& config) {
  return [config]() -> caf::expected<std::unique_ptr<kafka::record_source>> {
    auto handle = kafka::consumer_handle::create(config);
    if (!handle)
      return handle.error();
    return std::unique_ptr<kafka::record_source>{std::move(*handle)};
  };
}

} // namespace notify
