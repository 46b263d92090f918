#include "http/api/stats_route.hpp"

#include "http/api/ask.hpp"
#include "http/api/json_text.hpp"
#include "http/public_text.hpp"
#include "http/query.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace notify::http {

namespace {

constexpr const char* statuses[] = {"pending", "processing", "retry_wait",
                                    "sent",    "dead",       "cancelled"};

int64_t wall_clock_us() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

/// Every status of every channel that the report speaks of: what it does not list is 0 there.
boost::json::array jobs_json(const stats_report& report) {
  std::set<std::string> channels;
  for (const auto& x : report.jobs)
    channels.insert(x.channel);
  for (const auto& [channel, seconds] : report.oldest_due_s)
    channels.insert(channel);
  boost::json::array result;
  for (const auto& channel : channels)
    for (const auto* status : statuses) {
      auto found = std::find_if(report.jobs.begin(), report.jobs.end(), [&](const auto& x) {
        return x.channel == channel && x.status == status;
      });
      boost::json::object line;
      line["channel"] = channel;
      line["status"] = status;
      line["count"] = json_int64(found == report.jobs.end() ? int64_t{0} : found->count);
      result.push_back(std::move(line));
    }
  return result;
}

boost::json::object figures_json(const std::map<std::string, double>& figures) {
  boost::json::object result;
  for (const auto& [name, value] : figures)
    result[name] = std::isfinite(value) ? boost::json::value(value) : boost::json::value{};
  return result;
}

} // namespace

boost::json::object stats_json(const stats_report& report, int64_t now_us) {
  auto known = report.taken_at_us != 0;
  auto failure = public_text(report.failure);
  if (!known && failure.empty())
    failure = "nothing was counted yet";
  boost::json::object body;
  body["taken_at"] = known ? json_time(report.taken_at_us) : nullptr;
  body["age_s"] = known ? boost::json::value(
                      std::max(0.0, static_cast<double>(now_us - report.taken_at_us) / 1e6))
                        : nullptr;
  body["failure"] = json_text(failure);
  body["jobs"] = known ? boost::json::value(jobs_json(report)) : nullptr;
  body["oldest_due_s"] = known ? boost::json::value(figures_json(report.oldest_due_s)) : nullptr;
  body["figures"] = figures_json(report.figures);
  return body;
}

void add_stats_route(router& routes, const api_parts& parts) {
  routes.add(
      "GET", "/api/v1/stats", access::viewer, [parts](const request& x, const responder& respond) {
        if (auto refusal = read_query(x).finish())
          return respond(std::move(*refusal));
        ask_for<stats_report>(parts.system, parts.actors->stats_collector(), parts.ask_timeout,
                              get_stats{}, respond, "STATS", [](const stats_report& report) {
                                return json_response(200, stats_json(report, wall_clock_us()));
                              });
      });
}

} // namespace notify::http
