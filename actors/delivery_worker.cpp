#include "actors/delivery_worker.hpp"

#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>

namespace notify {

using namespace std::chrono_literals;

namespace {

/// For the dispatcher's word that this worker may go.
constexpr caf::timespan leave_timeout = 5s;

/// The outcome of a job that is not sent at all.
outcome refused(send_phase phase, std::string reason, std::string detail) {
  outcome result;
  result.kind = outcome_kind::permanent;
  result.phase = phase;
  result.reason = std::move(reason);
  result.detail = std::move(detail);
  return result;
}

} // namespace

void delivery_worker_state::announce() {
  auto found = dir->dispatcher();
  if (!found) {
    arm_tick();
    return;
  }
  if (found == dispatcher)
    return;
  if (retiring && now_doing == phase::idle) {
    self->quit(); // This dispatcher never knew of us.
    return;
  }
  dispatcher = found;
  self->monitor(dispatcher);
  delivery_worker_actor me{self};
  if (now_doing == phase::idle)
    self->send(dispatcher, worker_ready{config.channel, me});
  else
    self->send(dispatcher, worker_busy{config.channel, result.attempt, job.lease_size, job.reclaims,
                                       me, result.origin});
  if (now_doing == phase::returning)
    give_back();
}

void delivery_worker_state::on_dispatcher_down(const caf::down_msg& x) {
  if (!dispatcher || x.source != dispatcher.address())
    return;
  dispatcher = job_dispatcher_actor{};
  // Not at once: the directory may still name the dead one.
  arm_tick();
}

void delivery_worker_state::on_deliver(deliver x) {
  if (now_doing != phase::idle) {
    // Only a dispatcher with a bug does this; the job's lease brings it back.
    last_error = "got a job while busy";
    log::error(name, last_error,
               {{"job_id", to_string(x.job.job_id)},
                {"event_id", to_string(x.job.event_id)},
                {"correlation_id", x.job.correlation_id}});
    return;
  }
  job = std::move(x.job);
  started = self->clock().now();
  result = attempt_result{};
  result.attempt = {job.job_id, job.attempt_no, job.lease_id};
  result.lease_size = job.lease_size;
  result.idempotency_key = idempotency_key(job);
  result.origin = trace.begin(job);
  now_doing = phase::sending;
  provider = provider_client_actor{};
  arm_tick();
  if (auto answer = refusal()) {
    finish(std::move(*answer));
    return;
  }
  auto rendered = templates.current()->render(job);
  if (!rendered) {
    finish(refused(send_phase::render, "render_error", render(rendered.error())));
    return;
  }
  content = std::move(*rendered);
  result.content_hash = content.content_hash;
  if (auto answer = content_refusal())
    finish(std::move(*answer));
  else
    send();
}

std::optional<outcome> delivery_worker_state::refusal() const {
  if (job.expires_in <= 0s)
    return refused(send_phase::none, "expired", "the notification's time is over");
  if (!job.suppressed.empty())
    return refused(send_phase::none, "recipient_suppressed",
                   "refused for good before: " + job.suppressed);
  auto key_is_over =
      config.key_lifetime > 0s && job.unknowns > 0 && job.first_unknown_age >= config.key_lifetime;
  // What may have been accepted under that key would be sent a second time.
  if (!key_is_over || config.retry.unknown == unknown_policy::retry)
    return std::nullopt;
  auto answer = refused(send_phase::none, "idempotency_key_expired",
                        "an earlier attempt may have been accepted, and its key is forgotten");
  answer.kind = outcome_kind::unknown;
  return answer;
}

std::optional<outcome> delivery_worker_state::content_refusal() const {
  // An earlier attempt may have been accepted with other words: one customer must not get two
  // different messages, and a provider refuses a key that comes with other bytes.
  if (job.unknowns == 0 || job.frozen_hash.empty() || job.frozen_hash == content.content_hash)
    return std::nullopt;
  return refused(send_phase::render, "content_changed",
                 "the template renders otherwise than for the attempt that may have arrived");
}

void delivery_worker_state::send() {
  provider = dir->provider_client(config.channel);
  if (!provider)
    return; // Between two restarts; the next tick tries again.
  self->send(provider,
             send_message{job.job_id, job.attempt_no, job.recipient, content,
                          result.idempotency_key, delivery_worker_actor{self}, result.origin});
}

void delivery_worker_state::on_sent(const send_finished& x) {
  if (now_doing != phase::sending || x.job_id != job.job_id || x.attempt_no != job.attempt_no)
    return; // Late: the attempt was given up before.
  finish(x.result);
}

job_history delivery_worker_state::history() const {
  auto passed = std::chrono::duration_cast<caf::timespan>(self->clock().now() - started);
  job_history x;
  x.failures = job.failures;
  // Lost workers have a budget of their own.
  x.unknowns = std::max(job.unknowns - job.reclaims, 0);
  // The key's life began with the first attempt that may have been accepted, at the latest now.
  auto key_age = job.unknowns > 0 ? job.first_unknown_age + passed : passed;
  x.key_left = std::max<caf::timespan>(config.key_lifetime - key_age, 0s);
  if (job.expires_in != caf::timespan::max())
    x.expires_in = job.expires_in - passed;
  return x;
}

void delivery_worker_state::give_back() {
  if (!dispatcher) {
    now_doing = phase::returning;
    return;
  }
  ++returned;
  now_doing = phase::idle;
  trace.returned(job);
  self->send(dispatcher, job_returned{config.channel, result.attempt, delivery_worker_actor{self}});
  if (retiring)
    leave();
}

void delivery_worker_state::finish(outcome answer) {
  if (answer.kind == outcome_kind::interrupted) {
    give_back();
    return;
  }
  auto decision = decide(config.retry, answer, history(), random_unit());
  result.next = decision.next;
  result.delay = decision.delay;
  result.counts_as_failure = decision.counts_as_failure;
  result.result = std::move(decision.result);
  result.dead_reason = std::move(decision.dead_reason);
  result.clamped_wait = decision.clamped_wait;
  result.answer = std::move(answer);
  result.started_ago = std::chrono::duration_cast<caf::timespan>(self->clock().now() - started);
  now_doing = phase::recording;
  trace.sent(job, result);
  record();
}

void delivery_worker_state::record() {
  told_writer = self->clock().now();
  writer = dir->result_writer(static_cast<size_t>(job.lease_id) % config.result_writers);
  if (writer)
    self->send(writer, record_result{result, delivery_worker_actor{self}});
}

void delivery_worker_state::on_recorded(const result_recorded& x) {
  if (now_doing != phase::recording || x.job_id != job.job_id || x.attempt_no != job.attempt_no)
    return;
  if (x.applied) {
    log_result();
    measure();
  }
  if (result.next == next_step::sent)
    ++delivered;
  else
    ++failed;
  now_doing = phase::idle;
  trace.recorded(x.applied);
  if (retiring)
    leave();
  else if (dispatcher)
    self->send(dispatcher, worker_ready{config.channel, delivery_worker_actor{self}});
  else
    announce();
}

void delivery_worker_state::measure() const {
  metrics->attempts[result.result].Increment();
  if (result.next == next_step::retry)
    return;
  metrics->attempts_per_job.Observe(job.attempt_no);
  if (result.next == next_step::dead) {
    metrics->dead[result.dead_reason].Increment();
    return;
  }
  metrics->sent.Increment();
  metrics->job_to_sent.Observe(seconds_of(job.age + (self->clock().now() - started)));
  metrics->event_to_sent.Observe(seconds_since_us(job.occurred_at_us));
}

void delivery_worker_state::on_retire() {
  retiring = true;
  if (now_doing == phase::idle)
    leave();
}

void delivery_worker_state::leave() {
  if (!dispatcher) {
    self->quit();
    return;
  }
  // A job may be on its way to us: only the dispatcher can tell, and it has said so before it
  // answers.
  worker_leaving farewell{config.channel, result.attempt, delivery_worker_actor{self}};
  self->request(dispatcher, caf::duration{leave_timeout}, std::move(farewell))
      .then(
          [self = self](bool may_go) {
            if (may_go && self->state.now_doing == phase::idle)
              self->quit();
          },
          [self = self](caf::error&) { self->state.arm_tick(); });
}

void delivery_worker_state::log_result() const {
  auto level = result.next == next_step::sent ? log::level::info : log::level::warning;
  if (!log::enabled(level))
    return;
  log::write(level, name, "attempt " + result.result,
             {{"job_id", to_string(job.job_id)},
              {"event_id", to_string(job.event_id)},
              {"correlation_id", job.correlation_id},
              {"channel", config.channel},
              {"attempt_no", job.attempt_no},
              {"next", to_string(result.next)},
              {"provider_status", result.answer.provider_status},
              {"reason", result.answer.reason},
              {"latency_ms",
               std::chrono::duration_cast<std::chrono::milliseconds>(result.started_ago).count()}});
}

void delivery_worker_state::arm_tick() {
  if (tick_armed)
    return;
  tick_armed = true;
  self->delayed_send(self, config.check_interval, worker_tick{++tick_generation});
}

void delivery_worker_state::on_tick(const worker_tick& x) {
  if (x.generation != tick_generation)
    return;
  tick_armed = false;
  if (!dispatcher)
    announce();
  if (now_doing == phase::sending)
    check_send();
  if (now_doing == phase::recording
      && (self->clock().now() - told_writer >= config.resend_after
          || writer
                 != dir->result_writer(static_cast<size_t>(job.lease_id) % config.result_writers)))
    record(); // Recording is idempotent per attempt, so saying it twice is safe.
  if (retiring && now_doing == phase::idle)
    leave();
  if (now_doing != phase::idle)
    arm_tick();
}

void delivery_worker_state::check_send() {
  if (!provider) {
    send(); // Nothing was asked of anybody yet.
    return;
  }
  auto gone = provider != dir->provider_client(config.channel);
  // The provider client has the same deadline and is the one to know more; this is the net.
  if (!gone && self->clock().now() - started < config.deadline + 5s)
    return;
  outcome answer;
  answer.kind = outcome_kind::unknown;
  answer.phase = send_phase::none;
  answer.reason = gone ? "provider_client_restarted" : "no_answer";
  finish(std::move(answer));
}

actor_status delivery_worker_state::status() const {
  actor_status x;
  x.name = name;
  x.state = now_doing == phase::idle        ? "idle"
            : now_doing == phase::sending   ? "sending"
            : now_doing == phase::recording ? "recording"
                                            : "returning";
  x.mailbox = self->mailbox().size();
  x.processed = delivered + failed;
  x.last_error = last_error;
  x.counters = {{"delivered", static_cast<int64_t>(delivered)},
                {"failed", static_cast<int64_t>(failed)},
                {"returned", static_cast<int64_t>(returned)}};
  return x;
}

delivery_worker_actor::behavior_type
delivery_worker(delivery_worker_actor::stateful_pointer<delivery_worker_state> self,
                const delivery_worker_config& config, const live_value<template_set>& templates,
                const directory_ptr& dir) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.metrics = &config.metrics->channel(config.channel);
  state.templates = templates;
  state.dir = dir;
  state.trace = delivery_trace{config.trace};
  self->set_down_handler([self](caf::down_msg& x) { self->state.on_dispatcher_down(x); });
  state.announce();
  return {
      [self](deliver& x) { self->state.on_deliver(std::move(x)); },
      [self](const send_finished& x) { self->state.on_sent(x); },
      [self](const result_recorded& x) { self->state.on_recorded(x); },
      [self](retire_worker) { self->state.on_retire(); },
      [self](const worker_tick& x) { self->state.on_tick(x); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
