#include "tools/notification_text.hpp"

#include "tools/json_text.hpp"
#include "tools/printable.hpp"
#include "tools/text_table.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace notify {

namespace json = boost::json;

namespace {

constexpr size_t payload_shown = 4096; ///< Bytes.

using field_list = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// The members that have a value, by their names for people.
std::string fields(const json::value& object, field_list list) {
  std::string result;
  for (const auto& [title, name] : list)
    if (auto text = shown(object, name); text != "-")
      result += field_line(title, text);
  return result;
}

/// Appends `text` in parentheses, commas in between, if there is any.
void add_part(std::string& to, std::string_view label, const std::string& text) {
  if (text != "-")
    to += ", " + std::string{label} + text;
}

std::string attempt_text(const json::value& x) {
  auto result = "attempt " + shown(x, "attempt_no") + ": " + shown(x, "result");
  add_part(result, "", shown(x, "provider"));
  add_part(result, "status ", shown(x, "provider_status"));
  add_part(result, "", shown(x, "error_code"));
  if (auto took = shown(x, "latency_ms"); took != "-")
    result += ", " + took + " ms";
  add_part(result, "provider's id ", shown(x, "provider_message_id"));
  if (shown(x, "late_result") != "-")
    result += ", but it had been accepted: the success came late";
  add_part(result, "", shown(x, "detail"));
  if (auto next = shown_time(x, "next_attempt_at"); next != "-")
    result += "; next at " + next;
  return result;
}

std::string end_text(const json::value& notification) {
  auto result = shown(notification, "status");
  if (auto reason = shown(notification, "dead_reason"); reason != "-")
    result += ": " + reason;
  return result;
}

/// What happened, in the order in which it did.
std::string timeline(const json::value& event, const json::value& notification,
                     const json::value& attempts, bool is_cut) {
  std::string result;
  auto add = [&](const std::string& at, const std::string& what) {
    if (at != "-")
      result += "  " + printable_line(at, 40) + "  " + printable_line(what, 1000) + "\n";
  };
  add(shown_time(event, "occurred_at"), "the event occurred at " + shown(event, "producer"));
  add(shown_time(notification, "created_at"), "notification created");
  if (is_cut)
    result += "  ... earlier attempts are not shown\n";
  for (const auto& x : items_of(attempts))
    add(shown_time(x, "started_at"), attempt_text(x));
  add(shown_time(notification, "finished_at"), end_text(notification));
  add(shown_time(notification, "due_at"), "due, " + shown(notification, "status"));
  return result;
}

std::string notification_fields(const json::value& x) {
  return fields(x, {{"notification", "id"},
                    {"status", "status"},
                    {"dead reason", "dead_reason"},
                    {"channel", "channel"},
                    {"recipient", "recipient"},
                    {"template", "template_key"},
                    {"locale", "locale"},
                    {"attempts", "attempt_count"},
                    {"failures", "failures"},
                    {"reclaims", "reclaims"},
                    {"unknown outcomes", "unknowns"},
                    {"retried by hand", "redrives"},
                    {"last error", "last_error_class"},
                    {"error code", "last_error_code"},
                    {"provider", "provider"},
                    {"provider's id", "provider_message_id"},
                    {"due at", "due_at"},
                    {"expires at", "expires_at"}});
}

std::string event_fields(const json::value& x) {
  if (x.is_null())
    return field_line("event", "its inbox row is gone");
  return fields(x, {{"event", "event_id"},
                    {"type", "event_type"},
                    {"producer", "producer"},
                    {"aggregate", "aggregate_id"},
                    {"correlation", "correlation_id"},
                    {"traceparent", "traceparent"},
                    {"occurred at", "occurred_at"},
                    {"received at", "received_at"},
                    {"topic", "topic"},
                    {"partition", "partition"},
                    {"offset", "offset"}});
}

bool is_true(const json::value& x) {
  return x.is_bool() && x.get_bool();
}

} // namespace

std::string notification_table(const json::array& notifications) {
  text_table table{{"ID"},        {"CREATED"}, {"STATUS"},      {"CHANNEL"},
                   {"RECIPIENT"}, {"TYPE"},    {"TRIES", true}, {"ERROR"}};
  for (const auto& x : notifications) {
    auto why = shown(x, "last_error_code");
    table.add({shown(x, "id"), shown_time(x, "created_at"), shown(x, "status"), shown(x, "channel"),
               shown(x, "recipient"), shown(x, "event_type"), shown(x, "attempt_count"),
               why == "-" ? shown(x, "dead_reason") : why});
  }
  return table.text();
}

std::string notification_page(const json::value& story) {
  const auto& x = member(story, "notification");
  const auto& event = member(story, "event");
  auto result = notification_fields(x);
  result += event_fields(event);
  return result + "\n"
         + timeline(event, x, member(story, "attempts"), is_true(member(story, "attempts_cut")));
}

std::string event_page(const json::value& story) {
  const auto& event = member(story, "event");
  auto result = event.is_null() ? field_line("event", shown(story, "event_id")) : std::string{};
  result += event_fields(event);
  if (auto payload = text_of(event, "payload"); !payload.empty())
    result += field_line("payload", std::to_string(payload.size()) + " bytes")
              + printable_text(payload, payload_shown) + "\n";
  const auto& all = items_of(member(story, "notifications"));
  if (all.empty())
    result += "\nNo route called for a notification.\n";
  for (const auto& x : all) {
    const auto& notification = member(x, "notification");
    result +=
        "\n" + notification_fields(notification)
        + timeline({}, notification, member(x, "attempts"), is_true(member(x, "attempts_cut")));
  }
  if (is_true(member(story, "notifications_cut")))
    result += "\nThere are more; see: notifyctl list --event-id="
              + printable_line(shown(story, "event_id"), 60) + "\n";
  return result;
}

} // namespace notify
