#include "actors/stats_collector.hpp"

#include "actors/crash_report.hpp"
#include "actors/random.hpp"
#include "messages/error.hpp"
#include "messages/log.hpp"

#include <array>

namespace notify {

using namespace std::chrono_literals;

namespace {

/// Rates are told over this time.
constexpr caf::timespan rate_window = 1min;

/// The inspector itself never waits longer for an actor than half a second.
const caf::duration look_timeout{2s};

/// What adds up to the totals of one channel, by stable names.
constexpr std::array<std::pair<const char*, int64_t channel_counts::*>, 5> changes{{
    {"created", &channel_counts::created},
    {"sent", &channel_counts::sent},
    {"dead", &channel_counts::dead},
    {"cancelled", &channel_counts::cancelled},
    {"redriven", &channel_counts::redriven},
}};

int64_t wall_clock_us() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

} // namespace

void stats_collector_state::on_tick() {
  collect();
  look_at_actors();
  arm();
}

void stats_collector_state::collect() {
  ++rounds;
  auto was_failing = !report.failure.empty();
  report.failure.clear();
  auto health = store->health();
  reachable = static_cast<bool>(health);
  if (health) {
    read_only = health->read_only;
    success.succeeded(self->clock().now());
    take(health->figures, "oldest_snapshot_s.by.");
    collect_counts();
  } else {
    // Each further call would wait for the same database.
    failed("health", health.error());
  }
  if (report.failure.empty() && was_failing)
    log::info(name, "figures are fresh again");
  else if (!report.failure.empty() && !was_failing)
    log::warning(name, "figures are getting old", {{"error", report.failure}});
  config.metrics->show(report);
}

void stats_collector_state::collect_counts() {
  if (auto counts = store->count())
    take(*counts);
  else
    failed("counts", counts.error());
  if (auto books = store->books())
    take(*books, "books_difference.");
  else
    failed("books", books.error());
}

void stats_collector_state::take(const std::map<std::string, channel_counts>& counts) {
  report.taken_at_us = wall_clock_us();
  report.jobs.clear();
  report.oldest_due_s.clear();
  for (const auto& [channel, x] : counts) {
    for (const auto& [status, count] : count_by_status(x))
      report.jobs.push_back({channel, status, count});
    report.oldest_due_s[channel] = x.oldest_due_s;
    for (const auto& [change, member] : changes)
      report.figures["total." + channel + "." + change] = static_cast<double>(x.*member);
  }
  add_rates(counts);
}

void stats_collector_state::take(const figure_map& figures, const std::string& replaced) {
  // Of these the last round's may have no successor: that one is not known any more.
  std::erase_if(report.figures, [&](const auto& x) { return x.first.starts_with(replaced); });
  for (const auto& [figure, value] : figures)
    report.figures[figure] = value;
}

void stats_collector_state::add_rates(const std::map<std::string, channel_counts>& counts) {
  channel_counts sum;
  for (const auto& [channel, x] : counts)
    for (const auto& [change, member] : changes)
      sum.*member += x.*member;
  auto now = self->clock().now();
  past.emplace_back(now, sum);
  // One that is just too old stays: the window is then whole.
  while (past.size() > 2 && now - past[1].first >= rate_window)
    past.pop_front();
  auto elapsed = std::chrono::duration<double>(now - past.front().first).count();
  if (elapsed <= 0)
    return;
  for (const auto& [change, member] : changes)
    report.figures[std::string{"rate."} + change + "_per_second"] =
        static_cast<double>(sum.*member - past.front().second.*member) / elapsed;
}

void stats_collector_state::failed(const char* what, const caf::error& err) {
  ++failures;
  if (report.failure.empty())
    report.failure = std::string{what} + ": " + render(err);
}

void stats_collector_state::look_at_actors() {
  auto looker = dir->inspector();
  if (!looker)
    return;
  self->request(looker, look_timeout, get_actors{})
      .then([self = self](const actor_tree& x) { self->state.config.metrics->show(x); },
            [](const caf::error&) {}); // The next round asks again.
}

void stats_collector_state::arm() {
  // Up to a tenth more: of many processes each should look at another moment.
  auto more = static_cast<double>(config.interval.count()) * random_unit() / 10;
  self->delayed_send(self, config.interval + caf::timespan{static_cast<int64_t>(more)},
                     stats_tick{});
}

actor_status stats_collector_state::status() const {
  actor_status x;
  x.name = name;
  x.state = !reachable ? "waiting for storage" : read_only ? "read-only" : "running";
  x.mailbox = self->mailbox().size();
  x.processed = rounds;
  x.since_success_ms = success.at(self->clock().now());
  x.last_error = report.failure;
  x.counters = {{"failures", static_cast<int64_t>(failures)}};
  return x;
}

stats_collector_actor::behavior_type
stats_collector(stats_collector_actor::stateful_pointer<stats_collector_state> self,
                const stats_collector_config& config, const stats_store_ptr& store,
                const directory_ptr& dir) {
  report_crashes(self);
  auto& state = self->state;
  state.config = config;
  state.store = store;
  state.dir = dir;
  self->send(self, stats_tick{});
  return {
      [self](get_stats) { return self->state.report; },
      [self](stats_tick) { self->state.on_tick(); },
      [self](get_status) { return self->state.status(); },
      [](const crash_now& x) { crash(x); },
  };
}

} // namespace notify
