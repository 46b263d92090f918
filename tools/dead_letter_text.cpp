#include "tools/dead_letter_text.hpp"

#include "actors/event_time.hpp"
#include "tools/printable.hpp"
#include "tools/text_table.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>

namespace notify {

namespace {

constexpr size_t detail_shown = 60; ///< Bytes of a detail in a table.
constexpr size_t line_shown = 200;  ///< Bytes of a key or a header.

std::string position(const letter_info& x) {
  return x.topic + "/" + std::to_string(x.partition) + "/" + std::to_string(x.offset);
}

std::string published_text(const letter_info& x) {
  if (!x.published_us)
    return "no";
  return format_rfc3339(*x.published_us)
         + (x.publish_note.empty() ? "" : ", as a stub: " + x.publish_note);
}

std::string replays_text(const letter_info& x) {
  auto result = std::to_string(x.replays);
  if (!x.replay_result.empty())
    result += ", the last one: " + x.replay_result;
  return result + (x.replayed_us ? " at " + format_rfc3339(*x.replayed_us) : "");
}

std::string bytes_text(const nullable_bytes& x, size_t limit) {
  return x.present ? printable_line(x.bytes, limit) : "(null)";
}

std::string field(std::string name, const std::string& value) {
  name.resize(std::max(name.size() + 1, size_t{16}), ' ');
  return name + value + "\n";
}

boost::json::value json_time(const std::optional<int64_t>& us) {
  if (!us)
    return nullptr;
  return boost::json::value(format_rfc3339(*us));
}

boost::json::value json_count(const std::optional<int64_t>& x) {
  if (!x)
    return nullptr;
  return *x;
}

boost::json::value json_or_null(const std::string& x) {
  if (x.empty())
    return nullptr;
  return boost::json::value(x);
}

boost::json::value json_bytes(const nullable_bytes& x, size_t limit) {
  if (!x.present)
    return nullptr;
  boost::json::object result{{"bytes", x.bytes.size()}};
  auto text = is_printable(x.bytes, true);
  auto shown = text ? cut_text(x.bytes, limit) : std::string_view{x.bytes}.substr(0, limit);
  result[text ? "text" : "hex"] = text ? std::string{shown} : to_hex(shown);
  result["cut"] = shown.size() < x.bytes.size();
  return result;
}

} // namespace

std::string letter_table(const std::vector<letter_info>& letters) {
  text_table table{{"ID"},        {"FAILED AT"}, {"REASON"}, {"RECORD"},
                   {"PUBLISHED"}, {"REPLAY"},    {"DETAIL"}};
  for (const auto& x : letters)
    table.add(
        {std::to_string(x.id), format_rfc3339(x.first_failed_us).substr(0, 19) + "Z", x.reason,
         position(x), !x.published_us ? "no" : (x.publish_note.empty() ? "yes" : "stub"),
         x.replay_result.empty() ? "-" : x.replay_result, printable_line(x.detail, detail_shown)});
  return table.text();
}

std::string letter_page_text(const stored_letter& letter, size_t limit) {
  const auto& x = letter.info;
  auto result = field("id", std::to_string(x.id));
  result += field("record", position(x) + " (topic/partition/offset)");
  result +=
      field("record time", x.timestamp_ms < 0 ? "unknown" : format_rfc3339(x.timestamp_ms * 1000));
  result += field("reason", x.reason);
  result += field("detail", printable_line(x.detail, line_shown));
  result += field("event id", x.event_id ? to_string(*x.event_id) : "unknown");
  result += field("attempts", std::to_string(x.attempts));
  result += field("first failed", format_rfc3339(x.first_failed_us));
  result += field("last failed", format_rfc3339(x.last_failed_us));
  result += field("published", published_text(x));
  result += field("replays", replays_text(x));
  result += field("key", bytes_text(letter.record.key, line_shown));
  for (const auto& header : letter.record.headers)
    result += field("header", printable_line(header.name, line_shown) + " = "
                                  + bytes_text(header.value, line_shown));
  const auto& value = letter.record.value;
  if (!value.present)
    return result + field("value", "(null)");
  result += field("value", std::to_string(value.bytes.size()) + " bytes");
  return value.bytes.empty() ? result : result + printable_text(value.bytes, limit) + "\n";
}

boost::json::object to_json(const letter_info& x) {
  return {{"id", std::to_string(x.id)},
          {"topic", x.topic},
          {"partition", x.partition},
          {"offset", std::to_string(x.offset)},
          {"timestamp_ms", x.timestamp_ms},
          {"reason", x.reason},
          {"detail", x.detail},
          {"event_id", json_or_null(x.event_id ? to_string(*x.event_id) : std::string{})},
          {"attempts", x.attempts},
          {"first_failed_at", format_rfc3339(x.first_failed_us)},
          {"last_failed_at", format_rfc3339(x.last_failed_us)},
          {"published_at", json_time(x.published_us)},
          {"publish_note", json_or_null(x.publish_note)},
          {"replays", x.replays},
          {"replayed_at", json_time(x.replayed_us)},
          {"replay_result", json_or_null(x.replay_result)},
          {"key_bytes", json_count(x.key_bytes)},
          {"value_bytes", json_count(x.value_bytes)},
          {"headers", x.headers}};
}

boost::json::object to_json(const stored_letter& letter, size_t limit) {
  auto result = to_json(letter.info);
  result["key"] = json_bytes(letter.record.key, limit);
  result["value"] = json_bytes(letter.record.value, limit);
  boost::json::array headers;
  for (const auto& x : letter.record.headers)
    headers.push_back(boost::json::object{{"name", json_bytes({true, x.name}, limit)},
                                          {"value", json_bytes(x.value, limit)}});
  result["headers"] = std::move(headers);
  return result;
}

} // namespace notify
