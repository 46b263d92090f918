#include "actors/metrics_views.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace notify {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily family(const std::string& name, const std::string& help,
                    MetricType type = MetricType::Gauge) {
  MetricFamily x;
  x.name = name;
  x.help = help;
  x.type = type;
  return x;
}

void add(MetricFamily& to, std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric x;
  x.label = std::move(labels);
  if (to.type == MetricType::Counter)
    x.counter.value = value;
  else
    x.gauge.value = value;
  to.metric.push_back(std::move(x));
}

/// Without a worker's number.
std::string kind_of(std::string name) {
  auto end = name.find_last_not_of("0123456789");
  if (end != std::string::npos && end + 1 < name.size() && name[end] == '-')
    name.resize(end);
  return name;
}

struct actor_kind {
  double mailbox = 0, restarts = 0, silent = 0, members = 0;
  double since_success_s = -1;
};

void add_slots(const actor_status& dispatcher, metric_families& to) {
  auto slots = family("notify_slots", "Delivery workers of a channel, by what they do.");
  auto waiting = family("notify_jobs_claimed_waiting",
                        "Jobs of a channel that are claimed here and wait for a free worker.");
  for (const auto& [name, value] : dispatcher.counters) {
    auto number = static_cast<double>(value);
    if (name.starts_with("idle_"))
      add(slots, {{"channel", name.substr(5)}, {"state", "idle"}}, number);
    else if (name.starts_with("busy_"))
      add(slots, {{"channel", name.substr(5)}, {"state", "busy"}}, number);
    else if (name.starts_with("waiting_"))
      add(waiting, {{"channel", name.substr(8)}}, number);
  }
  to.push_back(std::move(slots));
  to.push_back(std::move(waiting));
}

/// A figure of the stats report and its series. With a label, the figure's name goes on with a dot
/// and the label's value.
struct figure_series {
  std::string_view figure;
  const char* name;
  const char* help;
  const char* label = nullptr;
};

constexpr figure_series figure_table[] = {
    {"books_difference.", "notify_books_difference",
     "How far the running totals are from what is there; anything but 0 is a defect.", "book"},
    {"clock_skew_s", "notify_db_clock_skew_seconds",
     "The database's clock minus this process's clock."},
    {"dead_letters_unpublished", "notify_dead_letters_unpublished",
     "Dead letters that are not in their topic yet, counted up to 10000."},
    {"dead_letters_oldest_unpublished_s", "notify_dead_letters_oldest_unpublished_age_seconds",
     "How long the oldest of them waits."},
    {"dead_tuples.", "notify_db_dead_tuples", "Dead rows of a table, as PostgreSQL estimates them.",
     "table"},
    {"notify_queue_usage", "notify_db_notify_queue_usage_ratio",
     "How full PostgreSQL's queue of notices is; at 1 every NOTIFY fails."},
    {"oldest_snapshot_s", "notify_db_oldest_snapshot_age_seconds",
     "Age of the oldest transaction that keeps dead rows; GET /api/v1/stats names its holder."},
    {"table_bytes.", "notify_db_table_bytes", "Size of a table with its indexes.", "table"},
    {"vacuum_age_s.", "notify_db_vacuum_age_seconds", "Since the last vacuum of a table.", "table"},
};

MetricFamily family_of(const figure_series& x, const stats_report& report) {
  auto result = family(x.name, x.help);
  if (x.label == nullptr) {
    if (auto found = report.figures.find(std::string{x.figure}); found != report.figures.end())
      add(result, {}, found->second);
    return result;
  }
  for (auto i = report.figures.lower_bound(std::string{x.figure});
       i != report.figures.end() && i->first.starts_with(x.figure); ++i)
    add(result, {{x.label, i->first.substr(x.figure.size())}}, i->second);
  return result;
}

/// `total.CHANNEL.CHANGE`
MetricFamily totals_of(const stats_report& report) {
  auto result = family("notify_job_changes_total",
                       "What became of the notifications of a channel, by the database's own "
                       "account: the same in every process.",
                       MetricType::Counter);
  constexpr std::string_view prefix = "total.";
  for (auto i = report.figures.lower_bound(std::string{prefix});
       i != report.figures.end() && i->first.starts_with(prefix); ++i) {
    auto dot = i->first.rfind('.');
    add(result,
        {{"channel", i->first.substr(prefix.size(), dot - prefix.size())},
         {"change", i->first.substr(dot + 1)}},
        i->second);
  }
  return result;
}

} // namespace

MetricFamily single_gauge(const std::string& name, const std::string& help, double value) {
  auto result = family(name, help);
  add(result, {}, value);
  return result;
}

metric_families families_of(const actor_tree& x) {
  std::map<std::string, actor_kind> kinds;
  metric_families result;
  for (const auto& line : x.lines) {
    auto& kind = kinds[kind_of(line.status.name)];
    ++kind.members;
    kind.mailbox += static_cast<double>(line.status.mailbox);
    kind.restarts += static_cast<double>(line.restarts);
    kind.silent += line.answered ? 0 : 1;
    kind.since_success_s =
        std::max(kind.since_success_s, static_cast<double>(line.status.since_success_ms) / 1000);
    if (line.status.name == "job-dispatcher" && line.answered)
      add_slots(line.status, result);
  }
  auto members = family("notify_actors", "Actors of a kind.");
  auto mailbox =
      family("notify_actor_mailbox_messages", "Messages that wait for actors of a kind.");
  auto restarts =
      family("notify_actor_restarts_total", "Restarts after crashes.", MetricType::Counter);
  auto silent = family("notify_actors_silent",
                       "Actors that did not answer when asked how they are: busy, or stuck.");
  auto success = family("notify_actor_since_success_seconds",
                        "Since an actor's loop last did what it is for; the worst of its kind.");
  for (const auto& [name, kind] : kinds) {
    add(members, {{"actor", name}}, kind.members);
    add(mailbox, {{"actor", name}}, kind.mailbox);
    add(restarts, {{"actor", name}}, kind.restarts);
    add(silent, {{"actor", name}}, kind.silent);
    if (kind.since_success_s >= 0)
      add(success, {{"actor", name}}, kind.since_success_s);
  }
  for (auto* each : {&members, &mailbox, &restarts, &silent, &success})
    result.push_back(std::move(*each));
  return result;
}

metric_families families_of(const stats_report& x, std::chrono::system_clock::time_point now) {
  metric_families result;
  result.push_back(single_gauge("notify_stats_failed",
                                "1 if the last look at the tables failed: figures are old.",
                                x.failure.empty() ? 0 : 1));
  if (x.taken_at_us == 0)
    return result;
  auto now_us =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  result.push_back(single_gauge("notify_stats_age_seconds", "Age of the counts of notifications.",
                                static_cast<double>(now_us - x.taken_at_us) / 1e6));
  auto jobs = family("notify_jobs", "Notifications of a channel in a status now, in the database: "
                                    "the same in every process.");
  for (const auto& count : x.jobs)
    add(jobs, {{"channel", count.channel}, {"status", count.status}},
        static_cast<double>(count.count));
  auto due = family("notify_jobs_oldest_due_seconds",
                    "How long the oldest due notification of a channel waits.");
  for (const auto& [channel, age] : x.oldest_due_s)
    add(due, {{"channel", channel}}, age);
  result.push_back(std::move(jobs));
  result.push_back(std::move(due));
  result.push_back(totals_of(x));
  for (const auto& series : figure_table)
    result.push_back(family_of(series, x));
  return result;
}

} // namespace notify
