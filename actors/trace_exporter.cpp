#include "actors/trace_exporter.hpp"

#include "actors/crash_report.hpp"
#include "actors/providers/wait_hint.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace notify {

using namespace std::chrono_literals;

namespace {

constexpr uint32_t max_tries = 5;
constexpr caf::timespan first_wait = 1s;

/// A collector that wants a longer pause loses the batch, not us our memory.
constexpr caf::timespan longest_wait = 1min;

constexpr int too_many_requests = 429;
constexpr int unavailable = 503;

std::string target_of(std::string endpoint) {
  constexpr std::string_view path = "/v1/traces";
  while (endpoint.ends_with('/'))
    endpoint.pop_back();
  return endpoint.ends_with(path) ? endpoint : endpoint + std::string{path};
}

std::string describe(const http_exchange& x) {
  if (x.event == http_event::answered)
    return "status " + std::to_string(x.status);
  return to_string(x.event) + (x.detail.empty() ? "" : ": " + x.detail);
}

} // namespace

trace_exporter_state::~trace_exporter_state() {
  if (client != nullptr)
    client->stop();
  if (config.budget == nullptr)
    return;
  config.budget->dropped(pending.size() + batch.size());
  forget(pending.size() + batch.size());
}

void trace_exporter_state::on_spans(spans_ended x) {
  std::move(x.spans.begin(), x.spans.end(), std::back_inserter(pending));
  if (pending.size() >= config.tracing.batch)
    send_batch();
  else
    arm(config.tracing.interval);
}

void trace_exporter_state::arm(caf::timespan wait) {
  auto moment = self->clock().now() + wait;
  if (tick_at <= moment)
    return;
  tick_at = moment;
  self->delayed_send(self, wait, export_tick{});
}

void trace_exporter_state::on_tick() {
  auto now = self->clock().now();
  if (tick_at <= now)
    tick_at = clock_type::time_point::max();
  if (request != nullptr) {
    std::unique_lock guard{request->mutex};
    if (auto answer = std::exchange(request->answer, std::nullopt)) {
      guard.unlock();
      request.reset();
      on_answer(*answer);
    }
  }
  if (stopping && now >= stop_at) {
    drop_batch("stopped");
    self->quit();
    return;
  }
  send_batch();
}

void trace_exporter_state::send_batch() {
  if (request != nullptr)
    return;
  auto now = self->clock().now();
  if (now < not_before) {
    arm(not_before - now);
    return;
  }
  if (batch.empty()) {
    auto count = std::min(pending.size(), config.tracing.batch);
    auto end = pending.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(pending.begin(), end, std::back_inserter(batch));
    pending.erase(pending.begin(), end);
    tries = 0;
  }
  if (batch.empty()) {
    quit_if_done();
    return;
  }
  ++tries;
  ++requests;
  http_request out;
  out.url = url;
  out.headers = config.tracing.headers;
  out.headers.emplace_back("Content-Type", "application/json");
  out.body = otlp_json(batch, config.resource);
  out.deadline = config.tracing.timeout;
  request = std::make_shared<answer_box>();
  trace_exporter_actor me{self};
  client->send(std::move(out), [me, box = request](http_exchange x) {
    std::unique_lock guard{box->mutex};
    box->answer = std::move(x);
    guard.unlock();
    caf::anon_send(me, export_tick{});
  });
}

void trace_exporter_state::on_answer(const http_exchange& x) {
  if (x.event == http_event::answered && x.status / 100 == 2) {
    exported += batch.size();
    success_at = self->clock().now();
    last_error.clear();
    forget(batch.size());
    batch.clear();
  } else if (wants_retry(x)) {
    retry_later(x);
  } else {
    drop_batch(describe(x));
  }
}

bool trace_exporter_state::wants_retry(const http_exchange& x) const {
  return x.event == http_event::answered
         && (x.status == too_many_requests || x.status == unavailable) && tries < max_tries
         && !stopping;
}

void trace_exporter_state::retry_later(const http_exchange& x) {
  ++retries;
  last_error = describe(x);
  auto asked = retry_after_of(x, std::chrono::system_clock::now());
  auto wait = asked ? *asked : first_wait * (1 << (tries - 1));
  not_before = self->clock().now() + std::clamp<caf::timespan>(wait, 0s, longest_wait);
}

void trace_exporter_state::drop_batch(const std::string& why) {
  auto count = batch.size();
  if (stopping) {
    count += pending.size();
    pending.clear();
  }
  if (count == 0)
    return;
  last_error = why;
  log::repeated(log::level::warning, name, "spans dropped: the collector did not take them",
                {{"spans", count}, {"reason", why}});
  config.budget->dropped(count);
  batch.clear();
  forget(count);
}

void trace_exporter_state::forget(size_t count) {
  config.budget->give_back(count);
}

void trace_exporter_state::stop() {
  if (std::exchange(stopping, true))
    return;
  stop_at = self->clock().now() + config.stop_limit;
  self->delayed_send(self, config.stop_limit, export_tick{});
  not_before = {};
  send_batch();
}

void trace_exporter_state::quit_if_done() {
  if (stopping && request == nullptr && pending.empty())
    self->quit();
}

actor_status trace_exporter_state::status() const {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  actor_status x;
  x.name = name;
  auto now = self->clock().now();
  x.state = request != nullptr ? "sending" : now < not_before ? "asked to wait" : "idle";
  x.mailbox = self->mailbox().size();
  x.processed = exported;
  x.last_error = last_error;
  if (success_at != clock_type::time_point{})
    x.since_success_ms = duration_cast<milliseconds>(now - success_at).count();
  x.counters = {{"exported", static_cast<int64_t>(exported)},
                {"dropped", static_cast<int64_t>(config.budget->dropped())},
                {"waiting", config.budget->waiting()},
                {"requests", static_cast<int64_t>(requests)},
                {"retries", static_cast<int64_t>(retries)}};
  return x;
}

trace_exporter_actor::behavior_type
trace_exporter(trace_exporter_actor::stateful_pointer<trace_exporter_state> self,
               const trace_exporter_config& config, const http_client_ptr& client) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.client = client;
  state.url = target_of(config.tracing.endpoint);
  self->set_exit_handler([self](caf::exit_msg& x) {
    if (x.reason == caf::exit_reason::kill)
      self->quit(x.reason);
    else
      self->state.stop();
  });
  return {
      [self](spans_ended& x) { self->state.on_spans(std::move(x)); },
      [self](export_tick) { self->state.on_tick(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

http_client_ptr make_trace_client(boost::asio::io_context& io, const tracing_config& config) {
  http_client_config own;
  own.ca_file = config.ca_file;
  own.connect_timeout = config.timeout;
  own.max_idle_connections = 1;
  auto client = http_client::make(io, own);
  if (!client)
    throw std::runtime_error("tracing: " + render(client.error()));
  return std::move(*client);
}

} // namespace notify
