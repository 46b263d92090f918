#include "http/api/operator_json.hpp"

#include "actors/providers/base64.hpp"
#include "actors/utf8.hpp"
#include "http/api/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>

namespace notify::http {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

value time_or_null(const caf::optional<int64_t>& us) {
  return us ? json_time(*us) : value{};
}

value number_or_null(const caf::optional<int32_t>& x) {
  return x ? value(*x) : value{};
}

value long_or_null(const caf::optional<int64_t>& x) {
  return x ? json_int64(*x) : value{};
}

object attempt_json(const attempt_line& x) {
  object y;
  y["attempt_no"] = x.attempt_no;
  y["started_at"] = json_time(x.started_us);
  y["finished_at"] = json_time(x.finished_us);
  y["result"] = x.result;
  y["budget"] = json_text(x.budget);
  y["provider"] = json_text(x.provider);
  y["provider_status"] = number_or_null(x.provider_status);
  y["provider_code"] = json_text(x.provider_code);
  y["provider_message_id"] = json_text(x.provider_message_id);
  y["error_code"] = json_text(x.error_code);
  y["detail"] = json_text(x.detail);
  y["phase"] = json_text(x.phase);
  y["latency_ms"] = number_or_null(x.latency_ms);
  y["bytes_sent"] = long_or_null(x.bytes_sent);
  y["wait_hint_ms"] = long_or_null(x.wait_hint_ms);
  y["next_attempt_at"] = time_or_null(x.next_attempt_us);
  y["idempotency_key"] = x.idempotency_key;
  y["content_hash"] = json_text(x.content_hash);
  y["late_result"] = json_text(x.late_result);
  return y;
}

object event_json(const event_line& x) {
  object y;
  y["event_id"] = to_string(x.event_id);
  y["event_type"] = x.event_type;
  y["producer"] = x.producer;
  y["aggregate_id"] = x.aggregate_id;
  y["correlation_id"] = json_text(x.correlation_id);
  y["traceparent"] = json_text(x.traceparent);
  y["occurred_at"] = json_time(x.occurred_us);
  y["received_at"] = json_time(x.received_us);
  y["topic"] = x.topic;
  y["partition"] = x.partition;
  y["offset"] = json_int64(x.offset);
  y["payload"] = x.payload;
  y["payload_sha256"] = x.payload_sha256;
  return y;
}

value event_or_null(const caf::optional<event_line>& x) {
  return x ? value(event_json(*x)) : value{};
}

/// `size` is that of all of it, of which `bytes` may be the beginning.
object bytes_json(const std::string& bytes, size_t size) {
  object y;
  y["base64"] = base64(bytes);
  y["size"] = size;
  y["cut"] = bytes.size() < size;
  // A cut may be in the middle of a character; what it leaves of that is no fault of the text.
  std::string_view whole = bytes;
  for (int i = 0; i < 3 && bytes.size() < size && invalid_utf8(whole) && !whole.empty(); ++i)
    whole.remove_suffix(1);
  y["text"] = invalid_utf8(whole) ? value{} : value(whole);
  return y;
}

value bytes_or_null(const nullable_bytes& x, size_t size) {
  return x.present ? value(bytes_json(x.bytes, size)) : value{};
}

value size_or_null(const caf::optional<int64_t>& x) {
  return x ? value(*x) : value{};
}

} // namespace

object notification_json(const notification_line& x) {
  object y;
  y["id"] = to_string(x.id);
  y["event_id"] = to_string(x.event_id);
  y["event_type"] = x.event_type;
  y["channel"] = x.channel;
  y["recipient"] = x.recipient;
  y["template_key"] = x.template_key;
  y["locale"] = x.locale;
  y["status"] = x.status;
  y["attempt_count"] = x.attempt_count;
  y["failures"] = x.failures;
  y["reclaims"] = x.reclaims;
  y["interruptions"] = x.interruptions;
  y["unknowns"] = x.unknowns;
  y["redrives"] = x.redrives;
  y["dead_reason"] = json_text(x.dead_reason);
  y["last_error_class"] = json_text(x.last_error_class);
  y["last_error_code"] = json_text(x.last_error_code);
  y["provider"] = json_text(x.provider);
  y["provider_message_id"] = json_text(x.provider_message_id);
  y["created_at"] = json_time(x.created_us);
  y["updated_at"] = json_time(x.updated_us);
  y["finished_at"] = time_or_null(x.finished_us);
  y["expires_at"] = time_or_null(x.expires_us);
  y["due_at"] = time_or_null(x.due_us);
  return y;
}

object history_json(const notification_history& x) {
  array attempts;
  for (const auto& attempt : x.attempts)
    attempts.push_back(attempt_json(attempt));
  object y;
  y["notification"] = notification_json(x.notification);
  y["attempts"] = std::move(attempts);
  y["attempts_cut"] = x.attempts_cut;
  return y;
}

object story_json(const notification_story& x) {
  auto y = history_json(x.history);
  y["event"] = event_or_null(x.event);
  return y;
}

object event_story_json(const event_story& x) {
  array notifications;
  for (const auto& history : x.notifications)
    notifications.push_back(history_json(history));
  object y;
  y["event_id"] = to_string(x.event_id);
  y["event"] = event_or_null(x.event);
  y["notifications"] = std::move(notifications);
  y["notifications_cut"] = x.notifications_cut;
  return y;
}

object acted_json(const notification_acted& x) {
  object y;
  y["notification"] = notification_json(x.notification);
  array warnings;
  for (const auto& warning : x.warnings)
    warnings.emplace_back(warning);
  y["warnings"] = std::move(warnings);
  return y;
}

object filter_json(const notification_filter& x) {
  object y;
  auto text = [&](const char* name, const std::string& part) {
    if (!part.empty())
      y[name] = part;
  };
  text("status", x.status);
  text("channel", x.channel);
  text("event_type", x.event_type);
  text("recipient", x.recipient);
  text("correlation_id", x.correlation_id);
  text("error_code", x.error_code);
  text("provider", x.provider);
  if (x.event_id)
    y["event_id"] = to_string(*x.event_id);
  if (x.created_from_us)
    y["created_from"] = json_time(*x.created_from_us);
  if (x.created_to_us)
    y["created_to"] = json_time(*x.created_to_us);
  return y;
}

object operation_json(const operation_line& x) {
  object skipped;
  for (const auto& [reason, count] : x.skipped)
    skipped[reason] = json_int64(count);
  object y;
  y["id"] = json_int64(x.id);
  y["kind"] = to_string(x.kind);
  y["filter"] = filter_json(x.filter);
  y["key"] = x.fresh_key ? "fresh" : "same";
  y["status"] = x.status;
  y["created_by"] = x.created_by;
  y["created_at"] = json_time(x.created_us);
  y["updated_at"] = json_time(x.updated_us);
  y["finished_at"] = time_or_null(x.finished_us);
  y["matched"] = json_int64(x.matched);
  y["done"] = json_int64(x.done);
  y["skipped"] = std::move(skipped);
  y["cursor"] = time_or_null(x.reached_us);
  y["error"] = json_text(x.error);
  return y;
}

object dead_letter_json(const dead_letter_line& x) {
  object y;
  y["id"] = json_int64(x.id);
  y["topic"] = x.topic;
  y["partition"] = x.partition;
  y["offset"] = json_int64(x.offset);
  y["timestamp_ms"] = x.timestamp_ms < 0 ? value{} : json_int64(x.timestamp_ms);
  y["reason"] = x.reason;
  y["detail"] = x.detail;
  y["event_id"] = x.event_id ? value(to_string(*x.event_id)) : value{};
  y["attempts"] = x.attempts;
  y["first_failed_at"] = json_time(x.first_failed_us);
  y["last_failed_at"] = json_time(x.last_failed_us);
  y["published_at"] = time_or_null(x.published_us);
  y["publish_note"] = json_text(x.publish_note);
  y["replays"] = x.replays;
  y["replayed_at"] = time_or_null(x.replayed_us);
  y["replay_result"] = json_text(x.replay_result);
  y["key_bytes"] = size_or_null(x.key_bytes);
  y["value_bytes"] = size_or_null(x.value_bytes);
  y["headers"] = x.headers;
  return y;
}

object dead_letter_story_json(const dead_letter_story& x) {
  array headers;
  for (const auto& header : x.record.headers) {
    object y;
    y["name"] = bytes_json(header.name, header.name.size());
    y["value"] = bytes_or_null(header.value, header.value.bytes.size());
    headers.push_back(std::move(y));
  }
  auto size = [](const caf::optional<int64_t>& bytes) {
    return static_cast<size_t>(bytes.value_or(0));
  };
  object y;
  y["dead_letter"] = dead_letter_json(x.line);
  y["key"] = bytes_or_null(x.record.key, size(x.line.key_bytes));
  y["value"] = bytes_or_null(x.record.value, size(x.line.value_bytes));
  y["headers"] = std::move(headers);
  y["headers_cut"] = x.record.headers.size() < static_cast<size_t>(x.line.headers);
  return y;
}

object audit_json(const audit_line& x) {
  object y;
  y["id"] = json_int64(x.id);
  y["at"] = json_time(x.at_us);
  y["actor"] = x.actor;
  y["action"] = x.action;
  y["target"] = x.target;
  y["details"] = boost::json::parse(x.details);
  return y;
}

} // namespace notify::http
