#include "actors/operator_desk.hpp"
#include "actors/service.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <string_view>
#include <utility>

// What the statuses of the tree mean for a load balancer, and for people.

namespace notify {

using namespace std::chrono_literals;

namespace {

const actor_line* find_line(const actor_tree& tree, std::string_view name) {
  for (const auto& x : tree.lines)
    if (x.status.name == name)
      return &x;
  return nullptr;
}

/// A loop that says it is well is believed for this long at least.
constexpr caf::timespan least_patience = 10s;

std::string reason_of(const actor_status& x) {
  return x.last_error.empty() ? x.state : x.state + ": " + x.last_error;
}

/// One check: the actor answers, or is known to block, and its state is one of the good ones.
health_check judge(const actor_tree& tree, const std::string& check, std::string_view name,
                   std::initializer_list<std::string_view> good) {
  const auto* line = find_line(tree, name);
  if (line == nullptr)
    return {check, false, "is not running"};
  const auto& status = line->status;
  auto is_good = std::find(good.begin(), good.end(), status.state) != good.end();
  return {check, is_good, is_good ? "" : reason_of(status), status.since_success_ms};
}

/// The same for a loop that must have done its work within `limit`: an actor that answers and does
/// nothing else is of no use.
health_check judge_loop(const actor_tree& tree, const std::string& check, std::string_view name,
                        std::string_view good, caf::timespan limit) {
  auto result = judge(tree, check, name, {good});
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  if (!result.ok || (result.since_success_ms >= 0 && result.since_success_ms <= ms))
    return result;
  result.ok = false;
  result.reason = result.since_success_ms < 0
                      ? "has not begun yet"
                      : "has done nothing for " + std::to_string(result.since_success_ms) + " ms";
  return result;
}

/// What no load balancer needs to know, but people do: never a reason not to be ready.
void add_notes(const actor_tree& tree, health_report& to) {
  constexpr std::array<std::pair<std::string_view, const char*>, 8> noted{{
      {"result-writer", "results"},
      {actor_names::lease_reaper, "leases"},
      {actor_names::janitor, "retention"},
      {actor_names::dead_letter_relay, "dead letters"},
      {actor_names::stats_collector, "figures"},
      {actor_names::job_listener, "notices"},
      {actor_names::operation_runner, "operations"},
      {actor_names::trace_exporter, "traces"},
  }};
  for (const auto& line : tree.lines)
    for (const auto& [prefix, check] : noted)
      if (line.status.name.starts_with(prefix))
        to.checks.push_back({check, true,
                             line.status.last_error.empty() ? "" : reason_of(line.status),
                             line.status.since_success_ms});
}

} // namespace

health_report judge_health(const service_config& config, const actor_tree& tree) {
  health_report report;
  report.live = !tree.lines.empty() && tree.lines.front().answered;
  report.checks.push_back({"supervisor", report.live, report.live ? "" : "does not answer"});
  // One that waits for an answer just now will soon say what came of it.
  report.checks.push_back(
      judge(tree, "database", actor_names::stats_collector, {"running", "busy"}));
  if (config.roles.deliver)
    report.checks.push_back(
        judge_loop(tree, "claims", actor_names::dispatcher, "running",
                   std::max<caf::timespan>(5 * config.delivery.poll_interval, least_patience)));
  if (config.roles.ingest)
    report.checks.push_back(
        judge_loop(tree, "kafka", actor_names::consumer, "assigned",
                   std::max<caf::timespan>(config.kafka.max_poll_interval / 2, least_patience)));
  for (const auto& x : report.checks)
    report.ready = report.ready && x.ok;
  add_notes(tree, report);
  return report;
}

} // namespace notify
