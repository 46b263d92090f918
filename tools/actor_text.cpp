#include "tools/actor_text.hpp"

#include "tools/text_table.hpp"

#include <boost/json/array.hpp>

#include <cstdio>
#include <map>

namespace notify {

namespace {

std::string indented_name(const actor_line& x) {
  constexpr size_t step = 2;
  return std::string(x.depth * step, ' ') + x.status.name;
}

/// `-` for nothing.
std::string time_text(int64_t ms) {
  if (ms <= 0)
    return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, ms < 10'000 ? "%.1f s" : "%.0f s",
                static_cast<double>(ms) / 1000);
  return buffer;
}

std::string error_text(const actor_line& x) {
  return x.status.last_error.empty() ? "-" : x.status.last_error;
}

/// Numbers of an actor that does not answer are not known, and no zeros.
std::string known(const actor_line& x, uint64_t number) {
  return x.answered ? std::to_string(number) : "?";
}

std::map<std::string, const actor_line*> by_name(const actor_tree& tree) {
  std::map<std::string, const actor_line*> result;
  for (const auto& x : tree.lines)
    result.emplace(x.status.name, &x);
  return result;
}

std::string rate_text(int64_t more, std::chrono::duration<double> passed) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", static_cast<double>(more) / passed.count());
  return buffer;
}

/// A restarted actor counts from zero again: no rate for it.
std::string processed_rate(const actor_line* before, const actor_line& now,
                           std::chrono::duration<double> passed) {
  if (before == nullptr || !before->answered || !now.answered || passed.count() <= 0
      || now.status.processed < before->status.processed)
    return "-";
  return rate_text(static_cast<int64_t>(now.status.processed - before->status.processed), passed);
}

std::string moved_counters(const actor_line* before, const actor_line& now) {
  std::string result;
  if (before == nullptr || !before->answered || !now.answered)
    return result;
  for (const auto& [name, value] : now.status.counters) {
    auto old = before->status.counters.find(name);
    auto change = value - (old != before->status.counters.end() ? old->second : 0);
    if (change != 0)
      result +=
          (result.empty() ? "" : " ") + name + (change > 0 ? "+" : "") + std::to_string(change);
  }
  return result;
}

} // namespace

std::string actor_table(const actor_tree& tree) {
  text_table table{{"ACTOR"},          {"STATE"},        {"MAILBOX", true}, {"PROCESSED", true},
                   {"RESTARTS", true}, {"SILENT", true}, {"LAST ERROR"}};
  for (const auto& x : tree.lines)
    table.add({indented_name(x), x.status.state, known(x, x.status.mailbox),
               known(x, x.status.processed), std::to_string(x.restarts),
               x.answered ? "-" : time_text(x.silent_ms), error_text(x)});
  return table.text();
}

boost::json::object to_json(const actor_tree& tree) {
  boost::json::array items;
  for (const auto& x : tree.lines) {
    boost::json::object counters;
    for (const auto& [name, value] : x.status.counters)
      counters[name] = std::to_string(value);
    boost::json::object line{
        {"name", x.status.name},          {"depth", x.depth},
        {"state", x.status.state},        {"answered", x.answered},
        {"silent_ms", x.silent_ms},       {"restarts", x.restarts},
        {"mailbox", x.status.mailbox},    {"processed", std::to_string(x.status.processed)},
        {"since_success_ms", nullptr},    {"last_error", nullptr},
        {"counters", std::move(counters)}};
    if (x.status.since_success_ms >= 0)
      line["since_success_ms"] = x.status.since_success_ms;
    if (!x.status.last_error.empty())
      line["last_error"] = x.status.last_error;
    items.push_back(std::move(line));
  }
  return {{"items", std::move(items)}};
}

std::string top_table(const actor_tree& before, const actor_tree& now,
                      std::chrono::duration<double> passed) {
  text_table table{{"ACTOR"},          {"STATE"},        {"MAILBOX", true}, {"PER SECOND", true},
                   {"RESTARTS", true}, {"SILENT", true}, {"MOVED"}};
  auto old = by_name(before);
  for (const auto& x : now.lines) {
    auto found = old.find(x.status.name);
    const auto* was = found != old.end() ? found->second : nullptr;
    table.add({indented_name(x), x.status.state, known(x, x.status.mailbox),
               processed_rate(was, x, passed), std::to_string(x.restarts),
               x.answered ? "-" : time_text(x.silent_ms), moved_counters(was, x)});
  }
  return table.text();
}

} // namespace notify
