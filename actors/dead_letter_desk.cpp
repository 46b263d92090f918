#include "actors/dead_letter_desk.hpp"

#include "messages/error.hpp"
#include "persistence/page_cursor.hpp"

#include <algorithm>
#include <chrono>

namespace notify {

namespace {

/// Ids that one statement looks at. They are dense, so about as many letters.
constexpr int64_t window = 5000;

/// A list gives what it has after this.
constexpr auto patience = std::chrono::milliseconds{20};

template <class T>
caf::optional<T> to_caf(const std::optional<T>& x) {
  if (x)
    return *x;
  return caf::none;
}

template <class T>
std::optional<T> to_std(const caf::optional<T>& x) {
  if (x)
    return *x;
  return std::nullopt;
}

dead_letter_line to_line(const letter_info& x) {
  dead_letter_line y;
  y.id = x.id;
  y.topic = x.topic;
  y.partition = x.partition;
  y.offset = x.offset;
  y.timestamp_ms = x.timestamp_ms;
  y.reason = x.reason;
  y.detail = x.detail;
  y.event_id = to_caf(x.event_id);
  y.attempts = x.attempts;
  y.first_failed_us = x.first_failed_us;
  y.last_failed_us = x.last_failed_us;
  y.published_us = to_caf(x.published_us);
  y.publish_note = x.publish_note;
  y.replays = x.replays;
  y.replayed_us = to_caf(x.replayed_us);
  y.replay_result = x.replay_result;
  y.key_bytes = to_caf(x.key_bytes);
  y.value_bytes = to_caf(x.value_bytes);
  y.headers = x.headers;
  return y;
}

letter_filter to_filter(const list_dead_letters& x) {
  letter_filter y;
  y.reason = x.reason;
  y.topic = x.topic;
  y.from_us = to_std(x.from_us);
  y.to_us = to_std(x.to_us);
  y.published = to_std(x.published);
  y.replayed = to_std(x.replayed);
  return y;
}

std::string question_of(const list_dead_letters& x) {
  question_hash hash;
  hash.add("dead-letters").add(x.reason).add(x.topic);
  hash.add(x.from_us.value_or(-1)).add(x.to_us.value_or(-1));
  for (const auto* flag : {&x.published, &x.replayed})
    hash.add(*flag ? int64_t{**flag} : int64_t{-1});
  return hash.text();
}

caf::error no_such_letter() {
  return caf::make_error(ec::not_found, std::string{"there is no dead letter with this id"});
}

} // namespace

caf::expected<dead_letter_page> list_letters(dead_letter_store& store, const list_dead_letters& x) {
  auto question = question_of(x);
  letter_page next;
  next.newest_first = true;
  if (x.cursor.empty()) {
    auto last = store.last_id();
    if (!last)
      return last.error();
    next.before_id = *last + 1;
  } else {
    auto place = read_id_cursor(x.cursor, question);
    if (!place)
      return place.error();
    next.before_id = *place;
  }
  auto begin = std::chrono::steady_clock::now();
  dead_letter_page page;
  while (next.before_id > 1 && page.items.size() <= x.limit) {
    if (std::chrono::steady_clock::now() - begin > patience && next.before_id > 1)
      break;
    next.after_id = std::max<int64_t>(0, next.before_id - 1 - window);
    // One more than asked for tells whether there is a next page.
    next.limit = x.limit + 1 - static_cast<uint32_t>(page.items.size());
    auto some = store.list(to_filter(x), next);
    if (!some)
      return some.error();
    for (const auto& info : *some)
      page.items.push_back(to_line(info));
    next.before_id = next.after_id + 1;
  }
  if (page.items.size() > x.limit) {
    page.items.pop_back();
    page.next = make_id_cursor(page.items.back().id, question);
  } else if (next.before_id > 1) {
    page.next = make_id_cursor(next.before_id, question);
  }
  return page;
}

caf::expected<dead_letter_story> show_letter(dead_letter_store& store, int64_t id,
                                             size_t most_bytes, size_t most_headers) {
  auto found = store.load({id});
  if (!found)
    return found.error();
  if (found->empty())
    return no_such_letter();
  auto& letter = found->front();
  dead_letter_story story{to_line(letter.info), std::move(letter.record)};
  auto cut = [most_bytes](std::string& bytes) {
    if (bytes.size() > most_bytes)
      bytes.resize(most_bytes);
  };
  auto& record = story.record;
  cut(record.key.bytes);
  cut(record.value.bytes);
  if (record.headers.size() > most_headers)
    record.headers.resize(most_headers);
  for (auto& header : record.headers) {
    cut(header.name);
    cut(header.value.bytes);
  }
  return story;
}

caf::expected<dead_letter_replayed> replay_letter(dead_letter_store& store, ingest_store& inbox,
                                                  const replay_rules& rules, int64_t id,
                                                  bool dry_run) {
  replay_request request;
  request.ids = {id};
  request.dry_run = dry_run;
  auto report = dead_letter_replay{store, inbox, rules}.run(request);
  if (!report)
    return report.error();
  if (report->missing > 0)
    return no_such_letter();
  if (report->settled > 0)
    return caf::make_error(ec::wrong_state,
                           std::string{"a replay has brought this record into the inbox before"});
  dead_letter_replayed result;
  result.dry_run = dry_run;
  result.jobs = report->jobs;
  result.result = report->stored > 0 ? "stored" : report->duplicates > 0 ? "duplicate" : "refused";
  if (!report->reasons.empty())
    result.reason = report->reasons.begin()->first;
  return result;
}

} // namespace notify
