#pragma once

#include "messages/events.hpp"

#include <boost/json/object.hpp>

#include <caf/expected.hpp>
#include <caf/timespan.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// One notification that an event type calls for. Data, not code: comes from `routes.json`.
struct route {
  std::string channel;
  std::vector<std::string> recipient_path; ///< Keys into the payload, e.g. {"email"}.
  std::string template_key;
  std::vector<std::string> locale_path; ///< Keys into the payload; empty: always the default.
  std::string default_locale = "en";
  std::vector<std::string> not_before_path;   ///< Where the payload says: not sent earlier.
  std::vector<std::string> expires_at_path;   ///< Where the payload says: not sent later.
  std::optional<caf::timespan> delay;         ///< Not sent earlier than this after the event.
  std::optional<caf::timespan> expires_after; ///< Not sent later than this after the event.
  bool optional = false; ///< A payload without the recipient means no job instead of a dead letter.

  bool operator==(const route&) const = default;
};

/// Event type -> its notifications.
class routing_table {
public:
  /// Reads `routes.json`. The error names the place and what was expected there.
  static caf::expected<routing_table> parse(std::string_view json);
  static caf::expected<routing_table> load(const std::string& path);

  /// The jobs of one event, without duplicates. `ec::invalid_event` with (reason code, detail) if
  /// the payload lacks what a route needs. An event type without routes gives no jobs.
  caf::expected<std::vector<new_job>> jobs_for(const event& x,
                                               const boost::json::object& payload) const;

  const std::map<std::string, std::vector<route>, std::less<>>& routes() const { return routes_; }

  bool operator==(const routing_table&) const = default;

private:
  std::map<std::string, std::vector<route>, std::less<>> routes_;
};

} // namespace notify
