#include "persistence/operator_rows.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace notify {

namespace {

/// "reason count" per line.
std::map<std::string, uint64_t> read_counts(std::string_view text) {
  std::map<std::string, uint64_t> result;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    auto space = line.find(' ');
    if (space == std::string_view::npos)
      throw std::logic_error{"an operation's counts cannot be read"};
    uint64_t count = 0;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), count);
    result[std::string{line.substr(0, space)}] = count;
  }
  return result;
}

std::string or_empty(const std::string& column) {
  return "coalesce(" + column + ", '')";
}

std::string or_none(const std::string& column) {
  return "coalesce(" + column + "::bigint, -1)";
}

std::string us_or_none(const std::string& column) {
  return "coalesce(" + us_of(column) + ", -1)";
}

std::string list(std::initializer_list<std::string> columns) {
  std::string result;
  for (const auto& x : columns)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

/// A member of an operation's filter.
std::string member(const char* name) {
  return std::string{"coalesce(o.filter->>'"} + name + "', '')";
}

std::string time_member(const char* name) {
  return us_or_none(std::string{"(o.filter->>'"} + name + "')::timestamptz");
}

} // namespace

std::string us_of(const std::string& column) {
  return "(extract(epoch from " + column + ") * 1000000)::bigint";
}

uuid column_reader::id() {
  auto x = maybe_id();
  if (!x)
    throw std::logic_error{"a row without its id"};
  return *x;
}

caf::optional<uuid> column_reader::maybe_id() {
  if (auto x = uuid::parse(text()))
    return *x;
  return caf::none;
}

caf::optional<int64_t> column_reader::maybe_number() {
  auto x = number();
  if (x == no_number)
    return caf::none;
  return x;
}

caf::optional<int32_t> column_reader::maybe_small() {
  if (auto x = maybe_number())
    return static_cast<int32_t>(*x);
  return caf::none;
}

const std::string notification_columns = list({"n.id::text",
                                               "n.event_id::text",
                                               "n.event_type",
                                               "n.channel",
                                               "n.recipient",
                                               "n.template_key",
                                               "n.locale",
                                               "n.status",
                                               "n.attempt_count::bigint",
                                               "n.failures::bigint",
                                               "n.reclaims::bigint",
                                               "n.interruptions::bigint",
                                               "n.unknowns::bigint",
                                               "n.redrives::bigint",
                                               or_empty("n.dead_reason"),
                                               or_empty("n.last_error_class"),
                                               or_empty("n.last_error_code"),
                                               or_empty("n.provider"),
                                               or_empty("n.provider_message_id"),
                                               us_of("n.created_at"),
                                               us_of("n.updated_at"),
                                               us_or_none("n.finished_at"),
                                               us_or_none("n.expires_at"),
                                               us_or_none("n.due_at")});

notification_line read_notification(column_reader& from) {
  notification_line x;
  x.id = from.id();
  x.event_id = from.id();
  for (auto* text :
       {&x.event_type, &x.channel, &x.recipient, &x.template_key, &x.locale, &x.status})
    *text = from.text();
  for (auto* number :
       {&x.attempt_count, &x.failures, &x.reclaims, &x.interruptions, &x.unknowns, &x.redrives})
    *number = from.small();
  for (auto* text : {&x.dead_reason, &x.last_error_class, &x.last_error_code, &x.provider,
                     &x.provider_message_id})
    *text = from.text();
  x.created_us = from.number();
  x.updated_us = from.number();
  x.finished_us = from.maybe_number();
  x.expires_us = from.maybe_number();
  x.due_us = from.maybe_number();
  return x;
}

const std::string attempt_columns = list({"a.job_id::text",
                                          "a.attempt_no::bigint",
                                          us_of("a.started_at"),
                                          us_of("a.finished_at"),
                                          "a.result",
                                          or_empty("a.budget"),
                                          or_empty("a.provider"),
                                          or_none("a.provider_status"),
                                          or_empty("a.provider_code"),
                                          or_empty("a.provider_message_id"),
                                          or_empty("a.error_code"),
                                          or_empty("a.detail"),
                                          or_empty("a.phase"),
                                          or_none("a.latency_ms"),
                                          or_none("a.bytes_sent"),
                                          or_none("a.wait_hint_ms"),
                                          us_or_none("a.next_attempt_at"),
                                          "coalesce(a.idempotency_key, a.job_id::text)",
                                          or_empty("a.content_hash"),
                                          or_empty("a.late_result")});

attempt_line read_attempt(column_reader& from) {
  attempt_line x;
  from.text();
  x.attempt_no = from.small();
  x.started_us = from.number();
  x.finished_us = from.number();
  x.result = from.text();
  x.budget = from.text();
  x.provider = from.text();
  x.provider_status = from.maybe_small();
  for (auto* text : {&x.provider_code, &x.provider_message_id, &x.error_code, &x.detail, &x.phase})
    *text = from.text();
  x.latency_ms = from.maybe_small();
  x.bytes_sent = from.maybe_number();
  x.wait_hint_ms = from.maybe_number();
  x.next_attempt_us = from.maybe_number();
  x.idempotency_key = from.text();
  x.content_hash = from.text();
  x.late_result = from.text();
  return x;
}

const std::string event_columns = list(
    {"e.event_id::text", "e.type", "e.producer", "e.aggregate_id", "e.correlation_id",
     "e.traceparent", us_of("e.occurred_at"), us_of("e.received_at"), "e.topic",
     "e.partition::bigint", "e.\"offset\"", "e.payload::text", "encode(e.payload_sha256, 'hex')"});

event_line read_event(column_reader& from) {
  event_line x;
  x.event_id = from.id();
  for (auto* text :
       {&x.event_type, &x.producer, &x.aggregate_id, &x.correlation_id, &x.traceparent})
    *text = from.text();
  x.occurred_us = from.number();
  x.received_us = from.number();
  x.topic = from.text();
  x.partition = from.small();
  x.offset = from.number();
  x.payload = from.text();
  x.payload_sha256 = from.text();
  return x;
}

const std::string operation_columns =
    list({"o.id",
          "o.kind",
          member("status"),
          member("channel"),
          member("event_type"),
          member("recipient"),
          member("correlation_id"),
          member("error_code"),
          member("provider"),
          member("event_id"),
          time_member("created_from"),
          time_member("created_to"),
          "o.fresh_key::int::bigint",
          "o.status",
          "o.created_by",
          us_of("o.created_at"),
          us_of("o.updated_at"),
          us_or_none("o.finished_at"),
          "o.matched",
          "o.done",
          "coalesce((select string_agg(s.key || ' ' || s.value, E'\\n') "
          "from jsonb_each_text(o.skipped) s), '')",
          us_or_none("o.reached_at"),
          or_empty("o.error")});

operation_line read_operation(column_reader& from) {
  operation_line x;
  x.id = from.number();
  x.kind = from.text() == "retry" ? bulk_kind::retry : bulk_kind::cancel;
  auto& f = x.filter;
  for (auto* text : {&f.status, &f.channel, &f.event_type, &f.recipient, &f.correlation_id,
                     &f.error_code, &f.provider})
    *text = from.text();
  f.event_id = from.maybe_id();
  f.created_from_us = from.maybe_number();
  f.created_to_us = from.maybe_number();
  x.fresh_key = from.flag();
  x.status = from.text();
  x.created_by = from.text();
  x.created_us = from.number();
  x.updated_us = from.number();
  x.finished_us = from.maybe_number();
  x.matched = static_cast<uint64_t>(from.number());
  x.done = static_cast<uint64_t>(from.number());
  x.skipped = read_counts(from.text());
  x.reached_us = from.maybe_number();
  x.error = from.text();
  return x;
}

} // namespace notify
