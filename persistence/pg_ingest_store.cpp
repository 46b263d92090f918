#include "persistence/pg_ingest_store.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"
#include "persistence/ingest_ledger.hpp"
#include "persistence/job_totals.hpp"
#include "persistence/pg_array.hpp"
#include "persistence/pg_ingest_marks.hpp"

#include <algorithm>
#include <tuple>

namespace notify {

namespace {

// Lock order of the whole transaction: inbox rows by event id, then what hangs on the new ones
// (jobs, queue, totals), dead letters by position or, in a replay, by id, the ledger by partition,
// marks by partition, totals. Two writers with the same events meet at the first common event id,
// where one waits for the other.
//
// The arrays are sorted in C++; unnest keeps their order. A sort in SQL would spill wide payloads
// to disk. Only jobs that must wait are named with their time, so that the others join nothing.
constexpr auto store_events = R"(
with fresh as (
  insert into notify.inbox_events (event_id, type, producer, aggregate_id, correlation_id,
    occurred_at, topic, partition, "offset", traceparent, payload, payload_sha256)
  select e.event_id, e.type, e.producer, e.aggregate_id, e.correlation_id,
    e.occurred_at, e.topic, e.partition, e."offset", e.traceparent, e.payload::json,
    decode(e.payload_sha256, 'hex')
  from unnest(:event_ids::uuid[], :types::text[], :producers::text[], :aggregate_ids::text[],
      :correlation_ids::text[], :occurred_ats::timestamptz[], :topics::text[],
      :partitions::int[], :offsets::bigint[], :traceparents::text[], :payloads::text[],
      :hashes::text[])
    as e(event_id, type, producer, aggregate_id, correlation_id, occurred_at, topic, partition,
      "offset", traceparent, payload, payload_sha256)
  on conflict do nothing
  returning event_id),
job as (
  insert into notify.notification_jobs (id, event_id, event_type, channel, recipient,
    template_key, locale, expires_at)
  select j.id, j.event_id, j.event_type, j.channel, j.recipient, j.template_key, j.locale,
    j.expires_at
  from unnest(:job_ids::uuid[], :job_event_ids::uuid[], :job_types::text[], :channels::text[],
      :recipients::text[], :template_keys::text[], :locales::text[], :expires_ats::timestamptz[])
    as j(id, event_id, event_type, channel, recipient, template_key, locale, expires_at)
  join fresh on fresh.event_id = j.event_id
  on conflict do nothing
  returning id, channel),
$counted,
queued as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select job.id, greatest(now(), later.not_before), 1, job.channel
  from job left join unnest(:later_ids::uuid[], :not_befores::timestamptz[])
    as later(id, not_before) on later.id = job.id)
select (select count(*) from fresh), (select count(*) from job)
)";

// A record that comes again is the same dead letter with one more attempt.
constexpr auto store_dead_letters = R"(
with stored as (
  insert into notify.dead_letters as d (topic, partition, "offset", timestamp_ms, key, value,
    header_names, header_values, reason, detail, event_id)
  select r.topic, r.partition, r."offset", r.timestamp_ms, r.key, r.value,
    r.header_names::bytea[], r.header_values::bytea[], r.reason, r.detail, r.event_id
  from unnest(:topics::text[], :partitions::int[], :offsets::bigint[], :timestamps::bigint[],
      :keys::bytea[], :values::bytea[], :header_names::text[], :header_values::text[],
      :reasons::text[], :details::text[], :event_ids::uuid[])
    as r(topic, partition, "offset", timestamp_ms, key, value, header_names, header_values,
      reason, detail, event_id)
  on conflict (topic, partition, "offset", timestamp_ms) do update
    set attempts = d.attempts + 1, last_failed_at = now()
  returning d.attempts)
select count(*) from stored where attempts = 1
)";

// The letter's event is in the inbox by now, from this very record or from another one. A letter
// that was settled before stays as it is.
constexpr auto settle_letters = R"(
with settled as (
  update notify.dead_letters d set
    replays = d.replays + 1,
    replay_result = case
      when not r.accepted then 'refused'
      when exists (select 1 from notify.inbox_events e where e.event_id = r.event_id
          and e.topic = d.topic and e.partition = d.partition and e."offset" = d."offset")
        then 'stored'
      else 'duplicate' end,
    replayed_at = case when r.accepted then now() end,
    attempts = d.attempts + (not r.accepted)::int,
    last_failed_at = case when r.accepted then d.last_failed_at else now() end,
    reason = case when r.accepted then d.reason else r.reason end,
    detail = case when r.accepted then d.detail else r.detail end,
    event_id = coalesce(r.event_id, d.event_id)
  from unnest(:ids::bigint[], :accepted::bool[], :reasons::text[], :details::text[],
      :event_ids::uuid[]) as r(id, accepted, reason, detail, event_id)
  where d.id = r.id and d.replayed_at is null
  returning d.replay_result)
select count(*) filter (where replay_result = 'stored'),
  count(*) filter (where replay_result = 'duplicate'),
  count(*) filter (where replay_result = 'refused')
from settled
)";

// The elements of `rows` in the order of `key(row)`, as pointers: payloads stay where they are.
template <class Row, class Key>
std::vector<const Row*> sorted_by(const std::vector<Row>& rows, Key key) {
  std::vector<const Row*> result;
  result.reserve(rows.size());
  for (auto& row : rows)
    result.push_back(&row);
  std::sort(result.begin(), result.end(),
            [&](const Row* a, const Row* b) { return key(*a) < key(*b); });
  return result;
}

struct event_statement {
  pg_array event_ids, types, producers, aggregate_ids, correlation_ids, occurred_ats, topics,
      partitions, offsets, traceparents, payloads, hashes;
  pg_array job_ids, job_event_ids, job_types, channels, recipients, template_keys, locales,
      expires_ats, later_ids, not_befores;
  long long new_events = 0;
  long long new_jobs = 0;
  soci::statement statement;

  explicit event_statement(soci::session& sql)
      : statement(
          (sql.prepare << with_counts(store_events, add_to_totals("job", {{"created", ""}})),
           soci::use(event_ids.text(), "event_ids"), soci::use(types.text(), "types"),
           soci::use(producers.text(), "producers"),
           soci::use(aggregate_ids.text(), "aggregate_ids"),
           soci::use(correlation_ids.text(), "correlation_ids"),
           soci::use(occurred_ats.text(), "occurred_ats"), soci::use(topics.text(), "topics"),
           soci::use(partitions.text(), "partitions"), soci::use(offsets.text(), "offsets"),
           soci::use(traceparents.text(), "traceparents"), soci::use(payloads.text(), "payloads"),
           soci::use(hashes.text(), "hashes"), soci::use(job_ids.text(), "job_ids"),
           soci::use(job_event_ids.text(), "job_event_ids"),
           soci::use(job_types.text(), "job_types"), soci::use(channels.text(), "channels"),
           soci::use(recipients.text(), "recipients"),
           soci::use(template_keys.text(), "template_keys"), soci::use(locales.text(), "locales"),
           soci::use(expires_ats.text(), "expires_ats"), soci::use(later_ids.text(), "later_ids"),
           soci::use(not_befores.text(), "not_befores"), soci::into(new_events),
           soci::into(new_jobs))) {}

  void fill(const std::vector<event>& events, const std::vector<new_job>& jobs) {
    for (auto* array :
         {&event_ids, &types,         &producers, &aggregate_ids, &correlation_ids, &occurred_ats,
          &topics,    &partitions,    &offsets,   &traceparents,  &payloads,        &hashes,
          &job_ids,   &job_event_ids, &job_types, &channels,      &recipients,      &template_keys,
          &locales,   &expires_ats,   &later_ids, &not_befores})
      array->clear();
    for (auto* x : sorted_by(events, [](auto& row) { return row.event_id; }))
      add(*x);
    for (auto* x : sorted_by(jobs, [](auto& row) { return row.id; }))
      add(*x);
  }

  void add(const event& x) {
    event_ids.add_uuid(x.event_id);
    types.add_text(x.type);
    producers.add_text(x.producer);
    aggregate_ids.add_text(x.aggregate_id);
    correlation_ids.add_text(x.correlation_id);
    occurred_ats.add_time(x.occurred_at_us);
    topics.add_text(x.topic);
    partitions.add_int(x.partition);
    offsets.add_int(x.offset);
    traceparents.add_text(x.traceparent);
    payloads.add_text(x.payload);
    hashes.add_text(x.payload_sha256);
  }

  void add(const new_job& x) {
    job_ids.add_uuid(x.id);
    job_event_ids.add_uuid(x.event_id);
    job_types.add_text(x.event_type);
    channels.add_text(x.channel);
    recipients.add_text(x.recipient);
    template_keys.add_text(x.template_key);
    locales.add_text(x.locale);
    expires_ats.add_time(x.expires_at_us);
    if (!x.not_before_us)
      return;
    later_ids.add_uuid(x.id);
    not_befores.add_time(x.not_before_us);
  }
};

void add_bytes(pg_array& to, const nullable_bytes& x) {
  if (x.present)
    to.add_bytes(x.bytes);
  else
    to.add_null();
}

struct dead_letter_statement {
  pg_array topics, partitions, offsets, timestamps, keys, values, header_names, header_values,
      reasons, details, event_ids;
  long long fresh = 0;
  soci::statement statement;

  explicit dead_letter_statement(soci::session& sql)
      : statement((sql.prepare << store_dead_letters, soci::use(topics.text(), "topics"),
                   soci::use(partitions.text(), "partitions"), soci::use(offsets.text(), "offsets"),
                   soci::use(timestamps.text(), "timestamps"), soci::use(keys.text(), "keys"),
                   soci::use(values.text(), "values"),
                   soci::use(header_names.text(), "header_names"),
                   soci::use(header_values.text(), "header_values"),
                   soci::use(reasons.text(), "reasons"), soci::use(details.text(), "details"),
                   soci::use(event_ids.text(), "event_ids"), soci::into(fresh))) {}

  void fill(const std::vector<dead_letter>& letters) {
    for (auto* array : {&topics, &partitions, &offsets, &timestamps, &keys, &values, &header_names,
                        &header_values, &reasons, &details, &event_ids})
      array->clear();
    auto key = [](const dead_letter& x) {
      auto& r = x.record;
      return std::tie(r.topic, r.partition, r.offset, r.timestamp_ms);
    };
    // An upsert must not meet a row twice in one statement.
    const dead_letter* previous = nullptr;
    for (auto* x : sorted_by(letters, key)) {
      if (previous == nullptr || key(*previous) != key(*x))
        add(*x);
      previous = x;
    }
  }

  void add(const dead_letter& x) {
    topics.add_text(x.record.topic);
    partitions.add_int(x.record.partition);
    offsets.add_int(x.record.offset);
    timestamps.add_int(x.record.timestamp_ms);
    add_bytes(keys, x.record.key);
    add_bytes(values, x.record.value);
    // Arrays of arrays would have to be rectangular: each row's goes as text.
    pg_array names, bytes;
    for (auto& header : x.record.headers) {
      names.add_bytes(header.name);
      add_bytes(bytes, header.value);
    }
    header_names.add_text(names.text());
    header_values.add_text(bytes.text());
    reasons.add_text(x.reason);
    details.add_text(x.detail);
    event_ids.add_uuid(x.event_id);
  }
};

struct settle_statement {
  pg_array ids, accepted, reasons, details, event_ids;
  long long stored = 0, duplicates = 0, refused = 0;
  soci::statement statement;

  explicit settle_statement(soci::session& sql)
      : statement((sql.prepare << settle_letters, soci::use(ids.text(), "ids"),
                   soci::use(accepted.text(), "accepted"), soci::use(reasons.text(), "reasons"),
                   soci::use(details.text(), "details"), soci::use(event_ids.text(), "event_ids"),
                   soci::into(stored), soci::into(duplicates), soci::into(refused))) {}

  void fill(const std::vector<replayed_letter>& letters) {
    for (auto* array : {&ids, &accepted, &reasons, &details, &event_ids})
      array->clear();
    for (auto* x : sorted_by(letters, [](auto& row) { return row.id; })) {
      ids.add_int(x->id);
      accepted.add_bool(x->accepted);
      reasons.add_text(x->reason);
      details.add_text(x->detail);
      event_ids.add_uuid(x->event_id);
    }
  }

  replay_counts counts() const {
    return {static_cast<uint64_t>(stored), static_cast<uint64_t>(duplicates),
            static_cast<uint64_t>(refused)};
  }
};

} // namespace

pg_ingest_store::pg_ingest_store(const postgres_config& config)
    : life_(static_cast<long long>(uuid::random().low)), session_(config, "ingest") {}

caf::expected<ingest_report> pg_ingest_store::store(const ingest_batch& batch) {
  return run_transaction(session_, [&] {
    ingest_report report;
    if (!batch.events.empty() || !batch.jobs.empty()) {
      auto& x = session_.prepared<event_statement>();
      x.fill(batch.events, batch.jobs);
      x.statement.execute(true);
      report.events = static_cast<uint64_t>(x.new_events);
      report.duplicates = batch.events.size() - report.events;
      report.jobs = static_cast<uint64_t>(x.new_jobs);
    }
    if (!batch.dead_letters.empty()) {
      auto& x = session_.prepared<dead_letter_statement>();
      x.fill(batch.dead_letters);
      x.statement.execute(true);
      report.dead_letters = static_cast<uint64_t>(x.fresh);
    }
    if (!batch.replayed.empty()) {
      auto& x = session_.prepared<settle_statement>();
      x.fill(batch.replayed);
      x.statement.execute(true);
      report.replayed = x.counts();
    }
    if (!batch.moves.empty()) {
      auto& x = session_.prepared<ledger_statement>();
      x.fill(batch.moves);
      x.statement.execute(true);
    }
    if (!batch.finished.empty())
      delete_marks(session_, batch.finished, life_);
    if (!batch.moves.empty()) {
      auto& x = session_.prepared<totals_statement>();
      x.fill(batch, report);
      x.statement.execute(true);
    }
    return report;
  });
}

caf::expected<std::vector<partition_history>>
pg_ingest_store::look_up(const std::vector<partition_key>& partitions) {
  return session_.run([&] { return read_history(session_, partitions); });
}

caf::error pg_ingest_store::mark(const std::vector<ingest_mark>& marks) {
  auto done = run_transaction(session_, [&] {
    write_marks(session_, marks, life_);
    return true;
  });
  return done ? caf::error{} : std::move(done.error());
}

void pg_ingest_store::abandon_marks() {
  auto done = session_.run([&] {
    release_life(session_, life_);
    return true;
  });
  // If this fails, then the lock ends with the connection.
  if (!done)
    log::debug("inbox-writer", "a lock stays", {{"error", render(done.error())}});
}

} // namespace notify
