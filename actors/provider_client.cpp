#include "actors/provider_client.hpp"

#include "actors/crash_report.hpp"
#include "messages/log.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace notify {

using namespace std::chrono_literals;

namespace {

/// A provider that asks for a pause without saying how long gets this one.
constexpr caf::timespan least_pause = 1s;

} // namespace

void provider_client_state::on_send(send_message x) {
  auto key = std::pair{x.job_id, x.attempt_no};
  if (auto entry = in_flight.find(key); entry != in_flight.end()) {
    // Asked twice for one attempt: it is on the wire already, only the answer's address changes.
    entry->second.worker = x.worker;
    return;
  }
  if (in_flight.size() >= std::min(gate().max_in_flight, config.concurrency)) {
    refuse(x);
    return;
  }
  auto now = self->clock().now();
  in_flight[key] = {x.worker, now + config.deadline + config.grace, breaker.begin(), now, x.origin};
  ++requests;
  metrics->in_flight.Set(static_cast<double>(in_flight.size()));
  arm_deadline();
  provider_client_actor me{self};
  adapter->send(
      {x.job_id, x.attempt_no, std::move(x.recipient), std::move(x.content),
       std::move(x.idempotency_key), config.deadline, x.origin},
      [me, key, origin = x.origin](outcome result) {
        caf::anon_send(me, send_finished{key.first, key.second, std::move(result), origin});
      });
}

void provider_client_state::refuse(const send_message& x) {
  ++refused;
  // Whoever sent this did not know; first the gate, so that it does not come back at once.
  told = UINT32_MAX;
  announce();
  outcome result;
  result.kind = outcome_kind::interrupted;
  result.provider = adapter->name();
  result.reason = "channel_closed";
  self->send(x.worker, send_finished{x.job_id, x.attempt_no, std::move(result)});
}

void provider_client_state::on_finished(const send_finished& x) {
  auto entry = in_flight.find({x.job_id, x.attempt_no});
  if (entry == in_flight.end()) {
    record_late(x);
    return;
  }
  auto asked = std::move(entry->second);
  in_flight.erase(entry);
  learn(x.result, asked.is_probe);
  answer(asked, x);
}

void provider_client_state::answer(const pending& asked, send_finished x) {
  ++by_outcome[to_string(x.result.kind)];
  metrics->answered(x.result, self->clock().now() - asked.asked_at);
  if (x.result.kind != outcome_kind::sent)
    last_error = x.result.reason;
  self->send(asked.worker, std::move(x));
}

void provider_client_state::record_late(const send_finished& x) {
  ++late_answers;
  metrics->late_answers.Increment();
  log::warning(name, "answer after the deadline",
               {{"channel", config.channel},
                {"job_id", to_string(x.job_id)},
                {"event_id", to_string(x.origin.event_id)},
                {"correlation_id", x.origin.correlation_id},
                {"attempt_no", x.attempt_no},
                {"outcome", to_string(x.result.kind)}});
  auto writer = dir->result_writer(0);
  if (x.result.kind != outcome_kind::sent || !writer)
    return;
  // The worker was told that nobody knows. If that is recorded already, the writer notes the late
  // success; if this comes first, it is the result, and the fence keeps the other one out.
  attempt_result result;
  result.attempt = {x.job_id, x.attempt_no, 0};
  result.next = next_step::sent;
  result.result = "sent";
  result.answer = x.result;
  result.origin = x.origin;
  self->send(writer, record_result{std::move(result), delivery_worker_actor{}});
}

void provider_client_state::learn(const outcome& result, bool was_probe) {
  auto now = self->clock().now();
  if (breaker.finish(result.kind, was_probe, now)) {
    if (breaker.is_open())
      metrics->breaker_openings.Increment();
    if (breaker.is_open())
      log::error(name, "breaker open: the channel waits",
                 {{"channel", config.channel},
                  {"reason", result.reason},
                  {"outcome", to_string(result.kind)}});
    else
      log::info(name, "breaker closed", {{"channel", config.channel}});
  }
  if (result.pause_channel) {
    auto wait = std::clamp(result.wait_hint, least_pause, std::max(least_pause, config.max_pause));
    paused_until = std::max(paused_until, now + wait);
    ++pauses;
    metrics->pauses.Increment();
    log::warning(name, "the provider asked for a pause",
                 {{"channel", config.channel},
                  {"seconds", std::chrono::duration_cast<std::chrono::seconds>(wait).count()}});
  }
  announce();
}

channel_gate provider_client_state::gate() const {
  auto now = self->clock().now();
  if (cut)
    return {config.channel, 0, "stopping"};
  if (now < paused_until)
    return {config.channel, 0, "the provider asked for a pause"};
  auto limit = breaker.limit(now);
  if (limit == circuit_breaker::unlimited)
    return {config.channel, limit, ""};
  return {config.channel, limit, limit == 0 ? "breaker open" : "breaker half open"};
}

void provider_client_state::announce() {
  auto now_is = gate();
  show_state();
  arm_gate();
  if (now_is.max_in_flight == told)
    return;
  // Without a dispatcher nobody needs it; one that comes later is refused once and told then.
  if (auto dispatcher = dir->dispatcher()) {
    told = now_is.max_in_flight;
    self->send(dispatcher, std::move(now_is));
  }
}

void provider_client_state::show_state() const {
  auto half_open = breaker.is_open() && breaker.limit(self->clock().now()) > 0;
  metrics->breaker_state.Set(!breaker.is_open() ? 0 : half_open ? 1 : 2);
  metrics->in_flight.Set(static_cast<double>(in_flight.size()));
}

void provider_client_state::arm_gate() {
  auto now = self->clock().now();
  auto next = time_point::max();
  if (paused_until > now)
    next = paused_until;
  else if (breaker.is_open() && breaker.probe_at() > now)
    next = breaker.probe_at();
  if (next >= next_gate_tick)
    return;
  next_gate_tick = next;
  self->delayed_send(self, caf::timespan{next - now}, gate_tick{});
}

void provider_client_state::on_gate_tick() {
  next_gate_tick = time_point::max();
  announce();
}

void provider_client_state::arm_deadline() {
  if (deadline_armed)
    return;
  deadline_armed = true;
  self->delayed_send(self, config.check_interval, deadline_tick{});
}

void provider_client_state::on_deadline() {
  deadline_armed = false;
  auto now = self->clock().now();
  for (auto i = in_flight.begin(); i != in_flight.end();) {
    if (i->second.give_up_at > now) {
      ++i;
      continue;
    }
    outcome result;
    // Only the adapter knows how far it got, and it did not say: the worst must be assumed.
    result.kind = outcome_kind::unknown;
    result.provider = adapter->name();
    result.reason = "deadline_exceeded";
    learn(result, i->second.is_probe);
    answer(i->second, {i->first.first, i->first.second, std::move(result), i->second.origin});
    i = in_flight.erase(i);
  }
  if (!in_flight.empty())
    arm_deadline();
}

void provider_client_state::on_cut() {
  cut = true;
  adapter->stop();
}

void provider_client_state::on_tune(const tune_channel& x) {
  config.concurrency = x.concurrency;
}

void provider_client_state::stop() {
  adapter->stop();
  self->quit();
}

actor_status provider_client_state::status() const {
  actor_status x;
  x.name = name;
  auto now_is = gate();
  x.state = !now_is.reason.empty() ? now_is.reason : in_flight.empty() ? "idle" : "sending";
  x.mailbox = self->mailbox().size();
  x.processed = requests;
  x.last_error = last_error;
  x.counters = by_outcome;
  x.counters["concurrency"] = static_cast<int64_t>(config.concurrency);
  x.counters["in_flight"] = static_cast<int64_t>(in_flight.size());
  x.counters["late_answers"] = static_cast<int64_t>(late_answers);
  x.counters["refused"] = static_cast<int64_t>(refused);
  x.counters["pauses"] = static_cast<int64_t>(pauses);
  x.counters["breaker_open"] = breaker.is_open() ? 1 : 0;
  x.counters["breaker_openings"] = static_cast<int64_t>(breaker.openings());
  return x;
}

provider_client_actor::behavior_type
provider_client(provider_client_actor::stateful_pointer<provider_client_state> self,
                const provider_client_config& config, const provider_ptr& adapter,
                const directory_ptr& dir) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.metrics = &config.metrics->provider(config.channel, adapter->name());
  state.adapter = adapter;
  state.dir = dir;
  state.breaker = circuit_breaker{config.breaker};
  state.show_state();
  self->set_exit_handler([self](caf::exit_msg&) { self->state.stop(); });
  // The one before this one may have left the gate closed.
  if (auto dispatcher = dir->dispatcher())
    self->send(dispatcher, state.gate());
  return {
      [self](send_message& x) { self->state.on_send(std::move(x)); },
      [self](const send_finished& x) { self->state.on_finished(x); },
      [self](const tune_channel& x) { self->state.on_tune(x); },
      [self](cut_sends) { self->state.on_cut(); },
      [self](deadline_tick) { self->state.on_deadline(); },
      [self](gate_tick) { self->state.on_gate_tick(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
