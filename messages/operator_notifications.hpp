#pragma once

#include "messages/uuid.hpp"

#include <caf/meta/type_name.hpp>
#include <caf/optional.hpp>

#include <cstdint>
#include <string>
#include <vector>

// What people ask about notifications. Times are microseconds since 1970, UTC; text that may be
// missing is empty then.

namespace notify {

/// Which notifications. Everything that is set must hold.
struct notification_filter {
  std::string status; ///< One of the six; empty: any.
  std::string channel;
  std::string event_type;
  std::string recipient;
  std::string correlation_id;
  std::string error_code; ///< Of the last attempt: a `sent` notification has none.
  std::string provider;
  caf::optional<uuid> event_id;
  caf::optional<int64_t> created_from_us; ///< Created at this time or later.
  caf::optional<int64_t> created_to_us;   ///< Created before this time.
};

/// Asks a desk for a page of notifications, newest first.
struct list_notifications {
  notification_filter filter;
  uint32_t limit = 50;
  std::string cursor; ///< Of the page before; empty: from the beginning.
};

/// A notification as the lists show it.
struct notification_line {
  uuid id;
  uuid event_id;
  std::string event_type;
  std::string channel;
  std::string recipient;
  std::string template_key;
  std::string locale;
  std::string status;
  int32_t attempt_count = 0;
  int32_t failures = 0;
  int32_t reclaims = 0;
  int32_t interruptions = 0;
  int32_t unknowns = 0;
  int32_t redrives = 0;
  std::string dead_reason;
  std::string last_error_class;
  std::string last_error_code;
  std::string provider;
  std::string provider_message_id;
  int64_t created_us = 0;
  int64_t updated_us = 0;
  caf::optional<int64_t> finished_us;
  caf::optional<int64_t> expires_us;
  caf::optional<int64_t> due_us; ///< While it waits.
};

/// One page. It may hold fewer items than were asked for and still have a next one: a desk looks at
/// a bounded number of rows.
struct notification_page {
  std::vector<notification_line> items;
  std::string next; ///< Cursor of the next page; empty: this was the last one.
};

/// One row of an attempt.
struct attempt_line {
  int32_t attempt_no = 0;
  int64_t started_us = 0;
  int64_t finished_us = 0;
  std::string result;
  std::string budget;
  std::string provider;
  caf::optional<int32_t> provider_status;
  std::string provider_code;
  std::string provider_message_id;
  std::string error_code;
  std::string detail;
  std::string phase;
  caf::optional<int32_t> latency_ms;
  caf::optional<int64_t> bytes_sent;
  caf::optional<int64_t> wait_hint_ms;
  caf::optional<int64_t> next_attempt_us;
  std::string idempotency_key;
  std::string content_hash;
  std::string late_result;
};

/// One row of the inbox.
struct event_line {
  uuid event_id;
  std::string event_type;
  std::string producer;
  std::string aggregate_id;
  std::string correlation_id;
  std::string traceparent;
  int64_t occurred_us = 0;
  int64_t received_us = 0;
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  std::string payload; ///< The producer's JSON.
  std::string payload_sha256;
};

/// A notification with its attempts, in order.
struct notification_history {
  notification_line notification;
  std::vector<attempt_line> attempts;
  bool attempts_cut = false; ///< There are earlier ones.
};

/// Asks a desk for one notification; `ec::not_found` if there is none.
struct get_notification {
  uuid id;
};

struct notification_story {
  notification_history history;
  caf::optional<event_line> event; ///< Nothing: its row is gone.
};

/// Asks a desk for an event with its notifications; `ec::not_found` if there is neither.
struct get_event {
  uuid event_id;
};

struct event_story {
  uuid event_id;
  caf::optional<event_line> event; ///< Nothing: its row is gone, but notifications are there.
  std::vector<notification_history> notifications;
  bool notifications_cut = false; ///< There are more.
};

/// Asks a desk to send a dead notification again. `ec::wrong_state` if it is not dead.
struct retry_notification {
  uuid id;
  bool fresh_key = false;
  std::string by; ///< Who asked, for the audit log.
};

/// Asks a desk to withdraw a notification that waits. `ec::wrong_state` if it does not.
struct cancel_notification {
  uuid id;
  std::string by;
};

/// It is done and committed.
struct notification_acted {
  notification_line notification; ///< As it is now.
  /// `late_success`: an attempt was accepted after it had been given up; `unknown_outcome`: one may
  /// have been.
  std::vector<std::string> warnings;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, notification_filter& x) {
  return f(caf::meta::type_name("notification_filter"), x.status, x.channel, x.event_type,
           x.recipient, x.correlation_id, x.error_code, x.provider, x.event_id, x.created_from_us,
           x.created_to_us);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, list_notifications& x) {
  return f(caf::meta::type_name("list_notifications"), x.filter, x.limit, x.cursor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, notification_line& x) {
  return f(caf::meta::type_name("notification_line"), x.id, x.event_id, x.event_type, x.channel,
           x.recipient, x.template_key, x.locale, x.status, x.attempt_count, x.failures, x.reclaims,
           x.interruptions, x.unknowns, x.redrives, x.dead_reason, x.last_error_class,
           x.last_error_code, x.provider, x.provider_message_id, x.created_us, x.updated_us,
           x.finished_us, x.expires_us, x.due_us);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, notification_page& x) {
  return f(caf::meta::type_name("notification_page"), x.items, x.next);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, attempt_line& x) {
  return f(caf::meta::type_name("attempt_line"), x.attempt_no, x.started_us, x.finished_us,
           x.result, x.budget, x.provider, x.provider_status, x.provider_code,
           x.provider_message_id, x.error_code, x.detail, x.phase, x.latency_ms, x.bytes_sent,
           x.wait_hint_ms, x.next_attempt_us, x.idempotency_key, x.content_hash, x.late_result);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, event_line& x) {
  return f(caf::meta::type_name("event_line"), x.event_id, x.event_type, x.producer, x.aggregate_id,
           x.correlation_id, x.traceparent, x.occurred_us, x.received_us, x.topic, x.partition,
           x.offset, x.payload, x.payload_sha256);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, notification_history& x) {
  return f(caf::meta::type_name("notification_history"), x.notification, x.attempts,
           x.attempts_cut);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_notification& x) {
  return f(caf::meta::type_name("get_notification"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, notification_story& x) {
  return f(caf::meta::type_name("notification_story"), x.history, x.event);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_event& x) {
  return f(caf::meta::type_name("get_event"), x.event_id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, event_story& x) {
  return f(caf::meta::type_name("event_story"), x.event_id, x.event, x.notifications,
           x.notifications_cut);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, retry_notification& x) {
  return f(caf::meta::type_name("retry_notification"), x.id, x.fresh_key, x.by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, cancel_notification& x) {
  return f(caf::meta::type_name("cancel_notification"), x.id, x.by);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, notification_acted& x) {
  return f(caf::meta::type_name("notification_acted"), x.notification, x.warnings);
}

} // namespace notify
