// Any record, headers included, is either an event that every check accepts or refused with a known
// reason. Run by tools/dev/fuzz.
//
// An input is a head of lines `name: value`, or `name` for a header that is null, an empty line and
// the value; without an empty line it is all value. A value that is a lone `!` is null.

#include "actors/ingest_plan.hpp"
#include "actors/strict_json.hpp"
#include "actors/traceparent.hpp"
#include "actors/utf8.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace notify {
namespace {

constexpr std::string_view routes = R"({"routes":[
  {"event_type":"order.paid.v1","channel":"email","recipient":"email","template":"t.v1",
   "not_before":"from","expires_at":"until","locale":"locale"},
  {"event_type":"order.paid.v1","channel":"telegram","recipient":"chat","template":"t.v1",
   "optional":true},
  {"event_type":"order.paid.v1","channel":"webhook","recipient":"hook","template":"t.v1",
   "optional":true}]})";

void require(bool x, const char* what) {
  if (x)
    return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

record_header header_of(std::string_view line) {
  auto colon = line.find(": ");
  if (colon == std::string_view::npos)
    return {std::string{line}, {}};
  return {std::string{line.substr(0, colon)}, {true, std::string{line.substr(colon + 2)}}};
}

kafka_record record_of(std::string_view input) {
  kafka_record result;
  result.topic = "orders";
  result.offset = 7;
  auto end = input.find("\n\n");
  if (end != std::string_view::npos) {
    auto head = input.substr(0, end);
    input.remove_prefix(end + 2);
    for (size_t at = 0; at <= head.size();) {
      auto stop = std::min(head.find('\n', at), head.size());
      result.headers.push_back(header_of(head.substr(at, stop - at)));
      at = stop + 1;
    }
  }
  if (input != "!")
    result.value = {true, std::string{input}};
  return result;
}

bool is_plain(std::string_view text) {
  return !invalid_utf8(text) && std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x20 || c == 0x7F;
  });
}

/// What the database and every reader behind it rely on.
void check(const event& x, const envelope_limits& limits) {
  require(!x.event_id.is_nil(), "the id");
  require(is_plain(x.type) && x.type.ends_with(".v1") && x.type.size() <= 512, "the type");
  require(is_plain(x.producer) && !x.producer.empty() && x.producer.size() <= 512, "the producer");
  require(is_plain(x.aggregate_id) && !x.aggregate_id.empty() && x.aggregate_id.size() <= 512,
          "the aggregate id");
  require(is_plain(x.correlation_id) && x.correlation_id.size() <= 512, "the correlation id");
  require(x.occurred_at_us >= 0 && x.occurred_at_us < 253402300800000000, "the time");
  require(x.traceparent.empty() || read_traceparent(x.traceparent) == x.traceparent,
          "the trace context");
  require(x.payload_sha256.size() == 64, "the hash");
  require(!x.payload.empty() && x.payload.front() == '{' && x.payload.back() == '}',
          "the payload's ends");
  json_options options;
  options.max_depth = limits.max_depth;
  options.max_members = limits.max_members;
  auto document = read_json(x.payload, options);
  require(document.fault == json_fault::none && document.value.is_object(), "the payload");
  options.numbers_as_text = true;
  require(read_json(x.payload, options).fault == json_fault::none, "the payload's numbers");
}

void check(const dead_letter& x, const kafka_record& record) {
  require(parse_refusal_reason(x.reason).has_value(), "the reason is known");
  require(!x.detail.empty() && !invalid_utf8(x.detail) && x.detail.size() < 1024, "the detail");
  require(x.detail.find('\0') == std::string::npos, "the detail has no NUL");
  require(x.record == record, "the record is kept as it was");
}

void check(const new_job& x, const event& of) {
  require(x.event_id == of.event_id && !x.id.is_nil(), "the job's ids");
  require(is_plain(x.recipient) && !x.recipient.empty(), "the recipient");
  require(is_plain(x.locale) && !x.locale.empty(), "the locale");
}

void check_record(const kafka_record& record) {
  static const auto table = [] {
    auto result = routing_table::parse(routes);
    require(static_cast<bool>(result), "the routes");
    return *result;
  }();
  envelope_limits limits;
  limits.max_value_bytes = 4096;
  limits.max_members = 200;
  auto plan = plan_batch({&record, 1}, table, limits);
  require(plan.batch.events.size() + plan.batch.dead_letters.size() == 1, "one or the other");
  require(plan.verdicts == std::vector<bool>{plan.batch.events.empty()}, "the verdict");
  require(plan.batch.moves.size() == 1 && plan.batch.moves[0].next_offset == 8, "the position");
  for (const auto& x : plan.batch.events)
    check(x, limits);
  for (const auto& x : plan.batch.dead_letters)
    check(x, record);
  for (const auto& x : plan.batch.jobs)
    check(x, plan.batch.events.front());
  // Said twice, it is the same event and no second one, or the same refusal.
  const kafka_record twice[] = {record, record};
  auto again = plan_batch(twice, table, limits);
  require(again.batch.events.size() == plan.batch.events.size(), "a copy is no second event");
  require(again.batch.jobs.size() == plan.batch.jobs.size(), "a copy makes no job");
  require(again.batch.dead_letters.size() == 2 * plan.batch.dead_letters.size(),
          "a copy of a bad record is as bad");
}

} // namespace
} // namespace notify

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  notify::check_record(notify::record_of({reinterpret_cast<const char*>(data), size}));
  return 0;
}
