#include "actors/provider_client.hpp"

#include "actors/crash_report.hpp"
#include "messages/log.hpp"

#include <caf/send.hpp>

#include <vector>

namespace notify {

void provider_client_state::on_send(send_message x) {
  auto key = std::pair{x.job_id, x.attempt_no};
  auto [entry, is_new] =
      in_flight.try_emplace(key, pending{x.worker, self->clock().now() + config.deadline});
  if (!is_new) {
    // Asked twice for one attempt: it is on the wire already, only the answer's address changes.
    entry->second.worker = x.worker;
    return;
  }
  ++requests;
  arm_deadline();
  provider_client_actor me{self};
  adapter->send({x.job_id, x.attempt_no, std::move(x.recipient), std::move(x.content),
                 std::move(x.idempotency_key)},
                [me, key](outcome result) {
                  caf::anon_send(me, send_finished{key.first, key.second, std::move(result)});
                });
}

void provider_client_state::on_finished(const send_finished& x) {
  auto entry = in_flight.find({x.job_id, x.attempt_no});
  if (entry == in_flight.end()) {
    ++late_answers;
    log::warning(name, "answer after the deadline",
                 {{"channel", config.channel},
                  {"job_id", to_string(x.job_id)},
                  {"attempt_no", x.attempt_no},
                  {"outcome", to_string(x.result.kind)}});
    return;
  }
  auto asked = std::move(entry->second);
  in_flight.erase(entry);
  answer(asked, x);
}

void provider_client_state::answer(const pending& asked, send_finished x) {
  ++by_outcome[to_string(x.result.kind)];
  if (x.result.kind != outcome_kind::sent)
    last_error = x.result.reason;
  self->send(asked.worker, std::move(x));
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
    answer(i->second, {i->first.first, i->first.second, std::move(result)});
    i = in_flight.erase(i);
  }
  if (!in_flight.empty())
    arm_deadline();
}

void provider_client_state::stop() {
  adapter->stop();
  self->quit();
}

actor_status provider_client_state::status() const {
  actor_status x;
  x.name = name;
  x.state = in_flight.empty() ? "idle" : "sending";
  x.mailbox = self->mailbox().size();
  x.processed = requests;
  x.last_error = last_error;
  x.counters = by_outcome;
  x.counters["in_flight"] = static_cast<int64_t>(in_flight.size());
  x.counters["late_answers"] = static_cast<int64_t>(late_answers);
  return x;
}

provider_client_actor::behavior_type
provider_client(provider_client_actor::stateful_pointer<provider_client_state> self,
                const provider_client_config& config, const provider_ptr& adapter) {
  report_crashes(self);
  self->state.config = config;
  self->state.adapter = adapter;
  self->set_exit_handler([self](caf::exit_msg&) { self->state.stop(); });
  return {
      [self](send_message& x) { self->state.on_send(std::move(x)); },
      [self](const send_finished& x) { self->state.on_finished(x); },
      [self](deadline_tick) { self->state.on_deadline(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
