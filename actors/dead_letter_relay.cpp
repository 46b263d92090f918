#include "actors/dead_letter_relay.hpp"

#include "actors/crash_report.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace notify {

using namespace std::chrono_literals;

namespace {

/// How long one look for reports may block the actor.
constexpr caf::timespan report_wait = 100ms;

/// A report that is later than the producer's own timeout by this much will never come.
constexpr caf::timespan report_margin = 10s;

/// The topic is missing, or not ours to write: trying at once again only makes noise.
bool needs_a_person(rd_kafka_resp_err_t code) {
  switch (code) {
  case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
  case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
  case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
  case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
  case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
  case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
  case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    return true;
  default:
    return false;
  }
}

} // namespace

void dead_letter_relay_state::on_hint() {
  hinted = true;
  // While something is wrong, or under way, its own timer is armed.
  if (!busy && unmarked.empty() && backoff == caf::timespan{0} && parked.empty())
    schedule(0s);
}

void dead_letter_relay_state::on_relay_tick(uint64_t tick) {
  if (tick != generation || busy)
    return;
  if (sender)
    sender->poll(0s); // Serves the client's log and errors.
  if (!mark())
    return;
  begin_batch();
}

void dead_letter_relay_state::begin_batch() {
  const auto& timing = config.timing;
  if (after_id == 0)
    hinted = false;
  auto lease = timing.message_timeout + timing.drain_timeout + 2 * report_margin;
  auto batch = store->next_unpublished(after_id, {timing.batch_letters, timing.batch_bytes}, lease);
  if (!batch) {
    storage_failed(batch.error());
    return;
  }
  success.succeeded(self->clock().now());
  if (batch->standby) {
    after_id = 0;
    holds_lease = false;
    condition = "standby";
    schedule(timing.poll_interval);
    return;
  }
  if (batch->letters.empty()) {
    finish_pass();
    return;
  }
  holds_lease = true;
  after_id = batch->letters.back().info.id;
  if (!ensure_sender())
    return;
  busy = true;
  broker_failed = false;
  condition = "publishing";
  batch_deadline = self->clock().now() + timing.message_timeout + report_margin;
  ++counters["batches"];
  for (auto& letter : batch->letters)
    send(std::move(letter), {});
  look_for_reports(0s);
}

void dead_letter_relay_state::send(stored_letter letter, const std::string& stub) {
  if (!sender || broker_failed) {
    pass_failed = true;
    return;
  }
  auto record = stub.empty() ? make_dead_letter_record(letter, config.origin)
                             : make_dead_letter_stub(letter, config.origin, stub);
  record.token = ++last_token;
  auto token = record.token;
  auto err = sender->produce(record);
  if (!err) {
    in_flight.emplace(token, sending{std::move(letter), stub});
    return;
  }
  if (err == ec::invalid_event && stub.empty()) {
    send(std::move(letter), "too_large");
    return;
  }
  pass_failed = true;
  if (err == ec::kafka_fatal) {
    broker_failed = true; // The look for reports finds the producer broken and replaces it.
  } else if (err == ec::invalid_event) {
    ++counters["refused"];
    last_error = render(err);
  } else {
    // A batch is far too small to fill the queue: what is left is the topic's own trouble.
    broker_failed = true;
    park(render(err));
  }
}

void dead_letter_relay_state::on_reports_tick(uint64_t tick) {
  if (tick != generation || !busy)
    return;
  if (sender)
    sender->poll(report_wait);
  take_reports();
  if (sender)
    if (auto ended = sender->fatal())
      discard_sender(render(ended));
  if (!in_flight.empty() && self->clock().now() >= batch_deadline)
    discard_sender("no delivery report came in time");
  if (in_flight.empty())
    finish_batch();
  else
    // Behind whatever waits in the mailbox; `poll` has waited already.
    look_for_reports(1ms);
}

void dead_letter_relay_state::take_reports() {
  // A stub that is sent on the way may bring further reports.
  while (!reports.empty())
    for (const auto& report : std::exchange(reports, {}))
      take(report);
}

void dead_letter_relay_state::take(const kafka::delivery_report& report) {
  auto found = in_flight.extract(report.token);
  if (found.empty())
    return;
  auto& [letter, stub] = found.mapped();
  if (report.result == kafka::delivery::acknowledged) {
    ++counters[stub.empty() ? "published" : "stubs"];
    config.metrics->relay.published.Increment();
    unmarked.push_back({letter.info.id, stub});
    return;
  }
  if (!needs_a_person(report.code) && report.result == kafka::delivery::refused) {
    if (stub.empty()) {
      auto too_large = report.code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
      send(std::move(letter), too_large ? "too_large" : "refused_by_broker");
      return;
    }
    ++counters["refused"];
    log::error(name, "a dead letter cannot be published at all, it stays in the database",
               {{"id", letter.info.id}, {"error", report.reason}});
  }
  pass_failed = true;
  ++counters["failures"];
  config.metrics->relay.failures.Increment();
  last_error = report.reason;
  if (needs_a_person(report.code)) {
    broker_failed = true;
    park(report.reason);
  } else if (report.result != kafka::delivery::refused) {
    broker_failed = true;
  }
}

void dead_letter_relay_state::finish_batch() {
  busy = false;
  if (!mark())
    return;
  if (!sender || broker_failed) {
    retry_after_failure();
    return;
  }
  backoff = caf::timespan{0};
  if (!parked.empty()) {
    log::info(name, "dead letters are published again");
    parked.clear();
  }
  schedule(0s);
}

bool dead_letter_relay_state::mark() {
  if (unmarked.empty())
    return true;
  auto marked = store->mark_published(unmarked);
  if (!marked) {
    storage_failed(marked.error());
    return false;
  }
  counters["marked"] += static_cast<int64_t>(*marked);
  unmarked.clear();
  return true;
}

void dead_letter_relay_state::finish_pass() {
  after_id = 0;
  if (std::exchange(holds_lease, false))
    store->release(); // Else it expires.
  if (std::exchange(pass_failed, false)) {
    // Only letters that the broker refuses in any form: they must not keep the relay spinning.
    condition = "refused letters wait";
    schedule(config.timing.park_interval);
    return;
  }
  condition = "running";
  backoff = caf::timespan{0};
  parked.clear();
  last_error.clear();
  schedule(std::exchange(hinted, false) ? caf::timespan{0} : config.timing.poll_interval);
}

bool dead_letter_relay_state::ensure_sender() {
  if (sender)
    return true;
  auto made = make_sender([this](const kafka::delivery_report& x) { reports.push_back(x); });
  if (made) {
    sender = std::move(*made);
    return true;
  }
  park(render(made.error()));
  retry_after_failure();
  return false;
}

void dead_letter_relay_state::discard_sender(const std::string& why) {
  ++counters["producers_replaced"];
  last_error = why;
  log::repeated(log::level::warning, name, "the producer is broken, a new one takes over",
                {{"error", why}, {"letters", in_flight.size()}});
  sender.reset();
  // Reports that it gave before still count; what has none is read from the database again.
  take_reports();
  in_flight.clear();
  pass_failed = true;
}

void dead_letter_relay_state::park(const std::string& why) {
  last_error = why;
  if (parked.empty())
    log::error(name, "dead letters cannot be published; they wait in the database",
               {{"topic", config.origin.topic}, {"error", why}});
  parked = why;
}

void dead_letter_relay_state::retry_after_failure() {
  const auto& timing = config.timing;
  after_id = 0;
  pass_failed = false;
  backoff = std::clamp(backoff * 2, timing.first_retry, timing.park_interval);
  condition = parked.empty() ? "waiting for kafka" : "parked";
  if (parked.empty() && backoff == timing.first_retry)
    log::repeated(log::level::warning, name, "publishing failed, dead letters wait in the database",
                  {{"error", last_error}});
  // The client remembers topics that were missing or denied: a new one asks again.
  if (!parked.empty())
    sender.reset();
  // Whoever reaches the broker may go on.
  if (std::exchange(holds_lease, false))
    store->release();
  schedule(parked.empty() ? backoff : timing.park_interval);
}

void dead_letter_relay_state::storage_failed(const caf::error& err) {
  const auto& timing = config.timing;
  last_error = render(err);
  config.metrics->relay.storage_failures.Increment();
  condition = "waiting for storage";
  if (backoff == caf::timespan{0})
    log::repeated(log::level::warning, name, "storage failed",
                  {{"unmarked", unmarked.size()}, {"error", last_error}});
  backoff = std::clamp(backoff * 2, timing.first_retry, timing.park_interval);
  after_id = 0;
  schedule(std::min(backoff, timing.poll_interval));
}

void dead_letter_relay_state::schedule(caf::timespan delay) {
  relay_tick tick{++generation};
  if (delay.count() == 0)
    self->send(self, tick);
  else
    self->delayed_send(self, delay, tick);
}

void dead_letter_relay_state::look_for_reports(caf::timespan delay) {
  reports_tick tick{++generation};
  if (delay.count() == 0)
    self->send(self, tick);
  else
    self->delayed_send(self, delay, tick);
}

void dead_letter_relay_state::stop(const caf::error& reason) {
  auto deadline = std::chrono::steady_clock::now() + config.timing.drain_timeout;
  while (sender && !in_flight.empty() && std::chrono::steady_clock::now() < deadline) {
    sender->poll(report_wait);
    take_reports();
  }
  if (!unmarked.empty())
    if (auto marked = store->mark_published(unmarked); !marked)
      log::warning(name, "stopped with unmarked letters; they will be published again",
                   {{"letters", unmarked.size()}, {"error", render(marked.error())}});
  if (holds_lease)
    store->release();
  self->quit(reason);
}

actor_status dead_letter_relay_state::status() const {
  actor_status x;
  x.name = name;
  x.state = condition;
  x.since_success_ms = success.at(self->clock().now());
  x.mailbox = self->mailbox().size();
  auto count = [this](const char* which) {
    auto found = counters.find(which);
    return found == counters.end() ? int64_t{0} : found->second;
  };
  x.processed = static_cast<uint64_t>(count("published") + count("stubs"));
  x.last_error = parked.empty() ? last_error : parked;
  x.counters = counters;
  x.counters["in_flight"] = static_cast<int64_t>(in_flight.size());
  x.counters["unmarked"] = static_cast<int64_t>(unmarked.size());
  return x;
}

dead_letter_relay_actor::behavior_type dead_letter_relay(dead_letter_relay_state::pointer self,
                                                         const dead_letter_relay_config& config,
                                                         const letter_relay_store_ptr& store,
                                                         record_sender_factory make_sender) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.store = store;
  state.make_sender = std::move(make_sender);
  self->set_exit_handler([self](caf::exit_msg& x) {
    if (x.reason == caf::exit_reason::kill)
      self->quit(x.reason);
    else
      self->state.stop(x.reason);
  });
  state.schedule(0s);
  return {
      [self](const dead_letters_stored&) { self->state.on_hint(); },
      [self](const relay_tick& x) { self->state.on_relay_tick(x.generation); },
      [self](const reports_tick& x) { self->state.on_reports_tick(x.generation); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
