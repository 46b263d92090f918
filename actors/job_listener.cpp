#include "actors/job_listener.hpp"

#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"
#include "messages/uuid.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace notify {

using namespace std::chrono_literals;

namespace {

constexpr caf::timespan first_backoff = 100ms;
constexpr caf::timespan max_backoff = 5s;

/// No channel has a colon in its name.
constexpr std::string_view probe_prefix = "probe:";

std::string join(const std::set<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result += (result.empty() ? "" : ",") + x;
  return result;
}

} // namespace

job_listener_state::~job_listener_state() {
  if (config.listens())
    config.metrics->listener.up.Set(0);
}

void job_listener_state::on_tick() {
  if (!ensure_open()) {
    backoff = std::clamp(backoff * 2, first_backoff, max_backoff);
    auto more = static_cast<double>(backoff.count()) * random_unit() / 4;
    self->delayed_send(self, backoff + caf::timespan{static_cast<int64_t>(more)}, listen_tick{});
    return;
  }
  say_what_is_new();
  if (config.listens())
    probe();
  if (!hear()) {
    self->delayed_send(self, first_backoff, listen_tick{});
    return;
  }
  // Behind whatever waits in the mailbox; `hear` has waited already.
  self->send(self, listen_tick{});
}

bool job_listener_state::ensure_open() {
  if (line->is_open())
    return true;
  if (auto err = line->open()) {
    line->close();
    lost(render(err));
    return false;
  }
  ++connections;
  config.metrics->listener.reconnects.Increment();
  expected.clear();
  probed_at = {};
  backoff = caf::timespan{0};
  if (!config.listens()) {
    set_up(true);
    return true;
  }
  // Whatever was said while nobody listened is found by one look.
  wake_dispatcher({config.channels.begin(), config.channels.end()});
  return true;
}

void job_listener_state::say_what_is_new() {
  unsaid.merge(signal->take());
  auto now = self->clock().now();
  if (unsaid.empty() || (said > 0 && now - said_at < config.say_interval))
    return;
  auto channels = std::exchange(unsaid, {});
  said_at = now;
  ++said;
  if (auto err = line->say(join(channels))) {
    ++unheard;
    config.metrics->listener.notices_failed.Increment();
    last_error = render(err);
    return;
  }
  config.metrics->listener.notices_sent.Increment();
}

void job_listener_state::probe() {
  auto now = self->clock().now();
  if (!expected.empty()) {
    if (now - probed_at < config.probe_timeout)
      return;
    lost("test notices do not come back; is there a pooler in transaction mode in front of the "
         "database?");
    line->close();
    return;
  }
  if (probed_at != clock_type::time_point{} && now - probed_at < config.probe_interval)
    return;
  probed_at = now;
  auto text = std::string{probe_prefix} + to_string(uuid::random());
  if (auto err = line->say(text)) {
    config.metrics->listener.notices_failed.Increment();
    lost(render(err));
    return;
  }
  expected = std::move(text);
}

bool job_listener_state::hear() {
  auto heard_now = line->hear(patience(), signal->handle());
  if (!heard_now) {
    line->close();
    lost(render(heard_now.error()));
    return false;
  }
  std::set<std::string> due;
  for (const auto& x : *heard_now)
    take(x, due);
  if (!due.empty())
    wake_dispatcher(due);
  return true;
}

caf::timespan job_listener_state::patience() const {
  // What is to be said later must not make the signal wake us all the time.
  if (unsaid.empty())
    return config.longest_wait;
  auto left = config.say_interval - (self->clock().now() - said_at);
  return std::clamp<caf::timespan>(std::chrono::duration_cast<caf::timespan>(left), 1ms,
                                   config.longest_wait);
}

void job_listener_state::take(const notice_line::notice& x, std::set<std::string>& due) {
  heard.succeeded(self->clock().now());
  config.metrics->listener.last_heard.SetToCurrentTime();
  if (x.text.starts_with(probe_prefix)) {
    if (x.text != expected)
      return; // Somebody else's.
    expected.clear();
    set_up(true);
    return;
  }
  if (x.is_own)
    return; // The dispatcher got its hint long ago.
  ++notices;
  config.metrics->listener.notices.Increment();
  std::string_view rest = x.text;
  while (!rest.empty()) {
    auto comma = rest.find(',');
    std::string channel{rest.substr(0, comma)};
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (std::find(config.channels.begin(), config.channels.end(), channel) != config.channels.end())
      due.insert(channel);
  }
}

void job_listener_state::wake_dispatcher(const std::set<std::string>& due) {
  if (auto dispatcher = dir->dispatcher())
    self->send(dispatcher, jobs_ready{{due.begin(), due.end()}});
}

void job_listener_state::lost(const std::string& why) {
  last_error = why;
  expected.clear();
  if (!is_bad)
    log::warning(name, "no notices from other processes, polling goes on without them",
                 {{"error", why}});
  is_bad = true;
  set_up(false);
}

void job_listener_state::set_up(bool is_up) {
  up = is_up;
  if (config.listens())
    config.metrics->listener.up.Set(up ? 1 : 0);
  if (!up)
    return;
  if (is_bad)
    log::info(name, "notices of other processes arrive again");
  is_bad = false;
  last_error.clear();
}

actor_status job_listener_state::status() const {
  actor_status x;
  x.name = name;
  x.state = !config.listens() ? (line->is_open() ? "telling" : "waiting for storage")
            : up              ? "listening"
            : line->is_open() ? "testing"
                              : "waiting for storage";
  x.mailbox = self->mailbox().size();
  x.processed = notices;
  x.since_success_ms = heard.at(self->clock().now());
  x.last_error = last_error;
  x.counters = {{"notices", static_cast<int64_t>(notices)},
                {"said", static_cast<int64_t>(said)},
                {"unheard", static_cast<int64_t>(unheard)},
                {"connections", static_cast<int64_t>(connections)}};
  return x;
}

job_listener_actor::behavior_type
job_listener(job_listener_actor::stateful_pointer<job_listener_state> self,
             const job_listener_config& config, const notice_line_ptr& line,
             const std::shared_ptr<job_signal>& signal, const directory_ptr& dir) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.line = line;
  state.signal = signal;
  state.dir = dir;
  self->send(self, listen_tick{});
  return {
      [self](listen_tick) { self->state.on_tick(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
