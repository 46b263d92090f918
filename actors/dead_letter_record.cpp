#include "actors/dead_letter_record.hpp"

#include "actors/event_time.hpp"
#include "messages/safe_text.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace notify {

namespace {

constexpr std::string_view prefix = "notify-dlq-";
constexpr size_t detail_limit = 1024;
constexpr size_t name_limit = 255; ///< Of topics, groups and the like.
constexpr size_t stub_key_limit = 1024;

class header_list {
public:
  explicit header_list(std::vector<record_header>& out) : out_(out) {}

  void add(std::string_view name, std::string_view text, size_t limit = name_limit) {
    out_.push_back({std::string{prefix} + std::string{name}, {true, safe_text(text, limit)}});
  }

  void add(std::string_view name, int64_t number) { add(name, std::to_string(number)); }

private:
  std::vector<record_header>& out_;
};

void add_own(std::vector<record_header>& out, const letter_info& x,
             const dead_letter_origin& origin) {
  header_list list{out};
  list.add("id", x.id);
  list.add("reason", x.reason);
  list.add("detail", x.detail, detail_limit);
  list.add("topic", x.topic);
  list.add("partition", x.partition);
  list.add("offset", x.offset);
  list.add("timestamp", x.timestamp_ms);
  list.add("first-failed-at", format_rfc3339(x.first_failed_us));
  list.add("last-failed-at", format_rfc3339(x.last_failed_us));
  list.add("attempts", x.attempts);
  list.add("replays", x.replays);
  list.add("group", origin.group);
  list.add("service-version", origin.version);
}

} // namespace

kafka::outgoing_record make_dead_letter_record(const stored_letter& letter,
                                               const dead_letter_origin& origin) {
  kafka::outgoing_record x;
  x.topic = origin.topic;
  x.key = letter.record.key;
  x.value = letter.record.value;
  std::copy_if(letter.record.headers.begin(), letter.record.headers.end(),
               std::back_inserter(x.headers),
               [](const record_header& header) { return !header.name.starts_with(prefix); });
  add_own(x.headers, letter.info, origin);
  return x;
}

kafka::outgoing_record make_dead_letter_stub(const stored_letter& letter,
                                             const dead_letter_origin& origin,
                                             const std::string& why) {
  kafka::outgoing_record x;
  x.topic = origin.topic;
  if (letter.record.key.bytes.size() <= stub_key_limit)
    x.key = letter.record.key;
  add_own(x.headers, letter.info, origin);
  header_list list{x.headers};
  list.add("stub", why);
  list.add("value-bytes", static_cast<int64_t>(letter.record.value.bytes.size()));
  return x;
}

} // namespace notify
