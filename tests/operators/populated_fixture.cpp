#include "tests/operators/populated_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify::test {

namespace {

// 1 of 7 jobs waits untried, 1 waits for a retry, 1 is in flight, 1 dead, 1 cancelled, 2 are sent.
// Moments are shared by five jobs. What a number has at random in life comes from its remainders.
constexpr auto fill = R"(
with made as (
  select g, md5('e' || g)::uuid as event_id, md5('j' || g)::uuid as id, g % 7 as kind,
    timestamptz '2026-01-01 00:00:00Z' + (g / 5) * interval '1.000001 seconds' as at,
    case when g % 3 = 0 then 'telegram' else 'email' end as channel,
    case when g % 11 = 0 then 'order.paid.v1' else 'order.created.v1' end as type,
    'user' || (g % 13) || '@example.com' as recipient
  from generate_series($first, $last) g),
event as (
  insert into notify.inbox_events (event_id, type, producer, aggregate_id, correlation_id,
    occurred_at, received_at, topic, partition, "offset", traceparent, payload, payload_sha256)
  select event_id, type, 'shop', 'order-' || g,
    case when g % 4 = 0 then '' else 'c-' || (g % 17) end, at, at, 'orders', 0, g,
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '{"n":9007199254740993}', '\x00ff'
  from made),
job as (
  insert into notify.notification_jobs (id, event_id, created_at, updated_at, finished_at,
    attempt_count, failures, event_type, channel, recipient, template_key, locale, status,
    dead_reason, last_error_class, last_error_code, provider, cancelled_at)
  select id, event_id, at, at, case when kind > 2 then at end,
    case kind when 0 then 0 when 2 then g % 2 when 4 then 0 else 1 end, (kind in (1, 3))::int,
    type, channel, recipient, 'k', 'en',
    (array['open', 'open', 'open', 'dead', 'cancelled', 'sent', 'sent'])[kind + 1],
    case when kind = 3 then 'attempts_exhausted' end,
    case when kind in (1, 3, 5) then 'retryable_provider_error' end,
    case when kind in (1, 3, 5) then case when g % 2 = 0 then 'smtp_timeout' else 'smtp_busy' end
    end,
    case when kind in (1, 3, 5, 6) then case when g % 5 = 0 then 'resend' else 'smtp' end end,
    case when kind = 4 then at end
  from made),
waiting as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select id, at, case kind when 0 then 1 else 2 end, channel from made where kind < 2),
lease as (
  insert into notify.leases (owner, channel, lease_until, job_ids, attempt_nos)
  select gen_random_uuid(), channel, now() + interval '1 hour', array_agg(id),
    array_agg(g % 2 + 1)
  from made where kind = 2 group by channel)
insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, finished_at)
select id, 1, case when kind in (5, 6) then 'sent' else 'retryable_provider_error' end, at, at
from made where kind in (1, 3, 5, 6) or kind = 2 and g % 2 = 1
)";

std::string replaced(std::string text, const std::string& name, const std::string& value) {
  return text.replace(text.find(name), name.size(), value);
}

} // namespace

void populate(postgres_fixture& db, int first, int count) {
  db.query(replaced(replaced(fill, "$first", std::to_string(first)), "$last",
                    std::to_string(first + count - 1)));
}

std::vector<sample_filter> sample_filters() {
  std::vector<sample_filter> result;
  auto add = [&](const std::string& name, const std::string& condition, auto set) {
    notification_filter x;
    set(x);
    result.push_back({name, x, condition});
  };
  for (const auto* status : {"pending", "processing", "retry_wait", "sent", "dead", "cancelled"})
    add(std::string{"status "} + status, std::string{"n.status = '"} + status + "'",
        [&](auto& x) { x.status = status; });
  add("channel", "n.channel = 'telegram'", [](auto& x) { x.channel = "telegram"; });
  add("event type", "n.event_type = 'order.paid.v1'",
      [](auto& x) { x.event_type = "order.paid.v1"; });
  add("recipient", "n.recipient = 'user3@example.com'",
      [](auto& x) { x.recipient = "user3@example.com"; });
  add("correlation", "n.correlation_id = 'c-5'", [](auto& x) { x.correlation_id = "c-5"; });
  add("error", "n.last_error_code = 'smtp_timeout' and n.status <> 'sent'",
      [](auto& x) { x.error_code = "smtp_timeout"; });
  add("provider", "n.provider = 'resend'", [](auto& x) { x.provider = "resend"; });
  add("event", "n.event_id = md5('e77')::uuid",
      [](auto& x) { x.event_id = *uuid::parse("81833c66eb40e013fcfe96990cb98cb7"); });
  // 2026-01-01T00:00:20Z to 00:01:00Z.
  add("created", "n.created_at >= '2026-01-01 00:00:20Z' and n.created_at < '2026-01-01 00:01:00Z'",
      [](auto& x) {
        x.created_from_us = 1767225620000000;
        x.created_to_us = 1767225660000000;
      });
  add("a very moment",
      "n.created_at >= '2026-01-01 00:00:20.00002Z' and "
      "n.created_at < '2026-01-01 00:00:20.000021Z'",
      [](auto& x) {
        x.created_from_us = 1767225620000020;
        x.created_to_us = 1767225620000021;
      });
  add("dead in a channel with an error",
      "n.status = 'dead' and n.channel = 'email' and n.last_error_code = 'smtp_busy'", [](auto& x) {
        x.status = "dead";
        x.channel = "email";
        x.error_code = "smtp_busy";
      });
  add("waiting in a channel", "n.status = 'pending' and n.channel = 'telegram'", [](auto& x) {
    x.status = "pending";
    x.channel = "telegram";
  });
  add("a recipient's failures", "n.status = 'retry_wait' and n.recipient = 'user1@example.com'",
      [](auto& x) {
        x.status = "retry_wait";
        x.recipient = "user1@example.com";
      });
  add("sent by a provider in time",
      "n.status = 'sent' and n.provider = 'smtp' and n.created_at < '2026-01-01 00:00:50Z'",
      [](auto& x) {
        x.status = "sent";
        x.provider = "smtp";
        x.created_to_us = 1767225650000000;
      });
  add("sent with an error", "false", [](auto& x) {
    x.status = "sent";
    x.error_code = "smtp_timeout";
  });
  add("nobody", "false", [](auto& x) { x.recipient = "nobody@example.com"; });
  return result;
}

populated_fixture::strings populated_fixture::expected(const std::string& condition) {
  strings result;
  for (const auto& row : db.query("select n.id from notify.notifications n where " + condition
                                  + " order by n.created_at desc, n.id desc"))
    result.push_back(row[0]);
  return result;
}

populated_fixture::strings
populated_fixture::listed(read_store& store, const notification_filter& filter, uint32_t limit) {
  strings result;
  list_notifications question{filter, limit, ""};
  do {
    auto page = required(store.list(question));
    CHECK(page.items.size() <= limit);
    for (const auto& x : page.items)
      result.push_back(to_string(x.id));
    question.cursor = page.next;
  } while (!question.cursor.empty());
  return result;
}

int populated_fixture::work_off(const operation_batch& batch) {
  for (int batches = 0;; ++batches)
    if (required(operations.work(batch)).id == 0)
      return batches;
}

} // namespace notify::test
