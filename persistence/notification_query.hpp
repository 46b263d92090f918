#pragma once

#include "messages/operator_notifications.hpp"
#include "persistence/page_cursor.hpp"

#include <soci/soci.h>

#include <cstdint>
#include <string>
#include <vector>

namespace notify {

/// Refuses a filter that can find nothing or could not be asked: an unknown status, text with a
/// NUL, times that no row has. `ec::invalid_request`.
caf::error check_filter(const notification_filter& x);

/// True if nothing is set.
bool is_empty(const notification_filter& x);

/// Finds notifications, newest first by (created_at, id). The one place that knows what a filter
/// means: lists, previews and operations all ask here.
///
/// No index answers every filter, since none may cover what sending a job changes. So a question
/// goes along the order that leads to it with the fewest detours (one event's jobs, one
/// recipient's, the dead, those that wait, or all by age), looks at no more than `look` rows, and
/// tells how far it came; whoever asks decides whether to go on from there.
class notification_query {
public:
  /// What one step of a question found.
  struct step {
    bool is_last = false;       ///< There is nothing behind it.
    page_key next;              ///< Where the next step begins, unless this was the last.
    std::vector<page_key> hits; ///< What fits, in order.
  };

  /// Looks at the tables' sizes to choose the way. Only inside of `session::run`.
  notification_query(soci::session& sql, const notification_filter& filter);

  notification_query(const notification_query&) = delete;
  notification_query& operator=(const notification_query&) = delete;

  /// At most `limit` of them after `from`, in one statement that looks at no more than `look` rows.
  step find(const page_key& from, uint32_t limit, uint32_t look);

private:
  std::string candidates() const;
  std::string waiting_jobs(bool queued, bool leased) const;
  void bind(soci::statement& statement);

  soci::session& sql_;
  notification_filter filter_;
  std::string text_; ///< The statement.
  // What is bound; SOCI keeps references.
  std::string event_id_, from_id_;
  long long from_us_ = 0, oldest_us_ = 0, limit_ = 0, look_ = 0;
};

} // namespace notify
