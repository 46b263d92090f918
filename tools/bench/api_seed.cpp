#include "tools/bench/api_seed.hpp"

#include "tools/bench/database.hpp"
#include "tools/bench/progress.hpp"

#include <algorithm>
#include <string_view>

namespace notify::bench {

namespace {

constexpr uint64_t part = 200'000;

constexpr auto events = R"(
insert into notify.inbox_events (event_id, type, producer, aggregate_id, correlation_id,
  occurred_at, received_at, topic, partition, "offset", traceparent, payload, payload_sha256)
select md5('e' || g)::uuid, 'order.type' || (g % 20) || '.v1', 'order-service', 'order-' || g,
  md5('c' || g / 3), at, at, 'orders.events.v1', (g % 12)::int, g, '',
  '{"email":"user@example.com"}', decode(md5(g::text), 'hex')
from (select g, $now - ($n - g) * (interval '90 days' / $n) as at from generate_series($first, $last) g) x
)";

// What a number has at random in life comes from its remainders: every hundredth and so on.
constexpr auto jobs = R"(
insert into notify.notification_jobs (id, event_id, created_at, updated_at, finished_at,
  attempt_count, failures, event_type, channel, recipient, template_key, locale, status,
  dead_reason, last_error_class, last_error_code, provider, cancelled_at)
select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '8' || substr(md5('j' || g), 1, 3)
    || '8' || substr(md5('j' || g), 4, 15))::uuid,
  md5('e' || g)::uuid, at, at, case when kind < 3 then at + interval '1 second' end,
  (kind <> 3)::int, (kind in (1, 4))::int, 'order.type' || (g % 20) || '.v1',
  case when g % 1000 = 7 then 'webhook' when g % 10 = 3 then 'telegram' else 'email' end,
  case when g % 50 = 0 then 'https://partner.example.com/hook' else 'user' || (hashint8(g) & 16777215) % ($n / 20) || '@example.com' end,
  'order-paid.v1', 'en', (array['sent', 'dead', 'cancelled', 'open', 'open'])[kind + 1],
  case when kind = 1 then 'attempts_exhausted' end,
  case when kind in (1, 4) then 'retryable_provider_error' end,
  case when kind in (1, 4) then case when g % 10007 = 0 then 'rare_code' else 'smtp_' || g % 5 end end,
  case when kind in (0, 1, 4) then case when g % 10000 = 11 then 'rare' else 'smtp' end end,
  case when kind = 2 then at end
from (select g, $now - ($n - g) * (interval '90 days' / $n) as at,
    case when g % 50 = 17 then 1 when g % 500 = 3 then 2 when g > $n - 2500 and g % 2 = 0 then 3
      when g > $n - 5000 and g % 2 = 0 then 4 else 0 end as kind
  from generate_series($first, $last) g) x
)";

constexpr auto attempts = R"(
insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, finished_at,
  latency_ms, provider)
select id, 1, case status when 'sent' then 'sent' else 'retryable_provider_error' end, created_at,
  created_at, 20, 'smtp'
from notify.notification_jobs
where attempt_count > 0 and event_id in (
  select md5('e' || g)::uuid from generate_series($first, $last) g)
)";

constexpr auto queue = R"(
insert into notify.job_queue (job_id, due_at, attempt_no, channel)
select id, now(), attempt_count + 1, channel from notify.notification_jobs
where status = 'open'
)";

std::string filled(std::string text, std::string_view name, const std::string& value) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
  return text;
}

} // namespace

void seed_notifications(const std::string& url, uint64_t count) {
  database db{url};
  progress bar{"seeding", count};
  // One moment for all parts, so that they meet without a gap.
  auto moment =
      "to_timestamp("
      + std::to_string(static_cast<int64_t>(db.value("select extract(epoch from now())::float8")))
      + ")";
  for (uint64_t first = 1; first <= count; first += part) {
    auto last = std::min(count, first + part - 1);
    for (const auto* text : {events, jobs, attempts}) {
      auto statement =
          filled(filled(text, "$first", std::to_string(first)), "$last", std::to_string(last));
      db.execute(filled(filled(statement, "$now", moment), "$n", std::to_string(count)));
    }
    bar.show(last);
  }
  db.execute(queue);
  bar.finish();
  db.execute("vacuum analyze");
}

} // namespace notify::bench
