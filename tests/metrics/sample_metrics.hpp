#pragma once

#include "actors/metrics.hpp"

#include <map>
#include <string>

namespace notify::test {

/// Metrics of which every family has a series.
inline metrics_ptr complete_metrics() {
  auto x = std::make_shared<service_metrics>("1.2.3");
  x->channel("email");
  x->provider("email", "smtp");
  x->session("claim");
  x->show_lag({{{"orders", 3}, 17}});
  x->on_answer("/api/v1/notifications/{id}", "GET", 200, 0.002, 512);
  x->listener.last_heard.Set(1);
  actor_tree tree;
  for (const auto* name :
       {"root", "job-dispatcher", "delivery-worker-email-0", "delivery-worker-email-1"}) {
    actor_line line;
    line.answered = true;
    line.restarts = 1;
    line.status.name = name;
    line.status.mailbox = 2;
    line.status.since_success_ms = 1500;
    tree.lines.push_back(line);
  }
  tree.lines[1].status.counters = {{"idle_email", 3}, {"busy_email", 5}, {"waiting_email", 7}};
  tree.lines[3].answered = false;
  x->show(tree);
  stats_report report;
  report.taken_at_us = 1;
  report.jobs = {{"email", "sent", 12}};
  report.oldest_due_s["email"] = 3;
  report.figures = {{"books_difference.jobs", 0},    {"clock_skew_s", 0.25},
                    {"dead_letters_unpublished", 1}, {"dead_letters_oldest_unpublished_s", 2},
                    {"dead_tuples.job_queue", 3},    {"notify_queue_usage", 0.5},
                    {"oldest_snapshot_s", 6},        {"oldest_snapshot_s.by.psql of ada", 6},
                    {"table_bytes.job_queue", 8192}, {"total.email.created", 20},
                    {"vacuum_age_s.job_queue", 60}};
  x->show(report);
  return x;
}

/// The families of a text in Prometheus' format with their types.
inline std::map<std::string, std::string> families_in(const std::string& text) {
  std::map<std::string, std::string> result;
  const std::string mark = "# TYPE ";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    at += mark.size();
    auto space = text.find(' ', at);
    result[text.substr(at, space - at)] = text.substr(space + 1, text.find('\n', at) - space - 1);
  }
  return result;
}

} // namespace notify::test
