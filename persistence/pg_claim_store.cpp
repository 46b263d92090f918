#include "persistence/pg_claim_store.hpp"

#include "persistence/pg_array.hpp"

#include <stdexcept>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr auto full_claim_every = 3s;

// Lock order: queue rows (whoever holds one is skipped), then the new lease row, which nobody
// else can see. Jobs are read without a lock, so a claim never waits.
//
// The rows are deleted by their place: they are locked and never updated, so it is theirs still.
// A queue row whose job is not open cannot exist; if it did, it would end here instead of at a
// customer. The floor stays behind the last row by more than an ingest transaction takes.
constexpr auto claim_jobs = R"(
with due as materialized (
  select q.ctid as place, q.job_id, q.attempt_no, q.due_at
  from notify.job_queue q
  where q.channel = :channel and q.due_at <= now() and q.due_at >= :floor::timestamptz
  order by q.due_at
  limit :limit::int
  for update skip locked),
gone as (
  delete from notify.job_queue q using due where q.ctid = due.place),
ready as materialized (
  select due.job_id, due.attempt_no, j.recipient, j.template_key, j.locale, j.event_id,
    j.event_type, j.failures, j.reclaims
  from due join notify.notification_jobs j on j.id = due.job_id
  where j.status = 'open'),
lease as (
  insert into notify.leases (owner, channel, lease_until, job_ids, attempt_nos)
  select :owner::uuid, :channel, now() + :lease_us::bigint * interval '1 microsecond',
    array_agg(job_id), array_agg(attempt_no)
  from ready
  having count(*) > 0
  returning id, cardinality(job_ids) as size)
select lease.id, lease.size,
  (select max(due_at) - interval '500 milliseconds' from due)::text,
  r.job_id::text, r.attempt_no, r.recipient, r.template_key, r.locale, r.event_id::text,
  r.event_type, r.failures, r.reclaims,
  coalesce((extract(epoch from e.occurred_at) * 1000000)::bigint, 0),
  coalesce(e.correlation_id, ''), coalesce(e.traceparent, ''), coalesce(e.payload::text, '')
from lease cross join ready r left join notify.inbox_events e on e.event_id = r.event_id
)";

// Lock order: leases by id, as for results, releases and the reaper.
constexpr auto renew_leases = R"(
with alive as materialized (
  select id from notify.leases
  where id = any (:ids::bigint[]) and owner = :owner::uuid and lease_until > now()
  order by id
  for update)
update notify.leases l set lease_until = now() + :lease_us::bigint * interval '1 microsecond'
from alive where l.id = alive.id
returning l.id
)";

// Lock order: leases by id, then jobs by id; the queue rows are new.
//
// Under the job's lock attempt_count tells whether the attempt has a row: the result or the
// reaper's `abandoned` came first, and the job is left alone. A job that became terminal meanwhile
// leaves the lease too, but does not wait again. What remains of a lease keeps its row while some
// of it has no attempt row yet.
constexpr auto release_jobs = R"(
with held as materialized (
  select id, job_ids, attempt_nos from notify.leases
  where id = any (:lease_ids::bigint[]) and owner = :owner::uuid
  order by id
  for update),
entry as materialized (
  select held.id as lease_id, u.job_id, u.attempt_no, u.place
  from held, unnest(held.job_ids, held.attempt_nos) with ordinality as u(job_id, attempt_no, place)),
wanted as materialized (
  select distinct e.job_id, e.attempt_no
  from entry e
  join unnest(:job_ids::uuid[], :attempt_nos::int[], :job_lease_ids::bigint[])
    as u(job_id, attempt_no, lease_id)
    on u.job_id = e.job_id and u.attempt_no = e.attempt_no and u.lease_id = e.lease_id
  order by e.job_id),
job as (
  update notify.notification_jobs j
  set interruptions = j.interruptions + (j.status = 'open')::int,
    updated_at = case j.status when 'open' then now() else j.updated_at end
  from wanted w
  where j.id = w.job_id and j.attempt_count < w.attempt_no
  returning j.id, j.status, j.channel, w.attempt_no),
waiting as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select id, now(), attempt_no, channel from job where status = 'open'),
rest as (
  select e.lease_id, array_agg(e.job_id order by e.place) as job_ids,
    array_agg(e.attempt_no order by e.place) as attempt_nos,
    bool_or(not exists (select from notify.delivery_attempts a
      where a.job_id = e.job_id and a.attempt_no = e.attempt_no)) as is_open
  from entry e
  where e.job_id not in (select id from job)
  group by e.lease_id),
kept as (
  update notify.leases l set job_ids = rest.job_ids, attempt_nos = rest.attempt_nos
  from rest
  where l.id = rest.lease_id and rest.is_open),
ended as (
  delete from notify.leases l
  using held
  where l.id = held.id and held.id not in (select lease_id from rest where is_open))
select count(*) from job where status = 'open'
)";

uuid parse_uuid(const std::string& text) {
  auto result = uuid::parse(text);
  if (!result)
    throw std::logic_error{"the database returned a malformed uuid"};
  return *result;
}

long long microseconds(caf::timespan x) {
  return std::chrono::duration_cast<std::chrono::microseconds>(x).count();
}

struct claim_statement {
  std::string channel, floor, owner;
  long long limit = 0, lease_us = 0;
  std::vector<long long> lease_id, lease_size, attempt_no, failures, reclaims, occurred_at_us;
  std::vector<std::string> next_floor, job_id, recipient, template_key, locale, event_id,
      event_type, correlation_id, traceparent, payload;
  soci::statement statement;

  explicit claim_statement(soci::session& sql)
      : statement((sql.prepare << claim_jobs, soci::use(channel, "channel"),
                   soci::use(floor, "floor"), soci::use(limit, "limit"), soci::use(owner, "owner"),
                   soci::use(lease_us, "lease_us"), soci::into(lease_id), soci::into(lease_size),
                   soci::into(next_floor), soci::into(job_id), soci::into(attempt_no),
                   soci::into(recipient), soci::into(template_key), soci::into(locale),
                   soci::into(event_id), soci::into(event_type), soci::into(failures),
                   soci::into(reclaims), soci::into(occurred_at_us), soci::into(correlation_id),
                   soci::into(traceparent), soci::into(payload))) {}

  void resize(size_t size) {
    for (auto* x : {&lease_id, &lease_size, &attempt_no, &failures, &reclaims, &occurred_at_us})
      x->resize(size);
    for (auto* x : {&next_floor, &job_id, &recipient, &template_key, &locale, &event_id,
                    &event_type, &correlation_id, &traceparent, &payload})
      x->resize(size);
  }

  /// Takes row `i` out of the vectors.
  delivery_job take(size_t i) {
    delivery_job result;
    result.job_id = parse_uuid(job_id[i]);
    result.attempt_no = static_cast<int32_t>(attempt_no[i]);
    result.lease_id = lease_id[i];
    result.lease_size = static_cast<uint32_t>(lease_size[i]);
    result.channel = channel;
    result.recipient = std::move(recipient[i]);
    result.template_key = std::move(template_key[i]);
    result.locale = std::move(locale[i]);
    result.event_id = parse_uuid(event_id[i]);
    result.event_type = std::move(event_type[i]);
    result.occurred_at_us = occurred_at_us[i];
    result.correlation_id = std::move(correlation_id[i]);
    result.traceparent = std::move(traceparent[i]);
    result.payload = std::move(payload[i]);
    result.failures = static_cast<int32_t>(failures[i]);
    result.reclaims = static_cast<int32_t>(reclaims[i]);
    return result;
  }
};

struct heartbeat_statement {
  pg_array ids;
  std::string owner;
  long long lease_us = 0;
  std::vector<long long> renewed;
  soci::statement statement;

  explicit heartbeat_statement(soci::session& sql)
      : statement((sql.prepare << renew_leases, soci::use(ids.text(), "ids"),
                   soci::use(owner, "owner"), soci::use(lease_us, "lease_us"),
                   soci::into(renewed))) {}
};

struct release_statement {
  pg_array lease_ids, job_ids, attempt_nos, job_lease_ids;
  std::string owner;
  long long released = 0;
  soci::statement statement;

  explicit release_statement(soci::session& sql)
      : statement((sql.prepare << release_jobs, soci::use(lease_ids.text(), "lease_ids"),
                   soci::use(owner, "owner"), soci::use(job_ids.text(), "job_ids"),
                   soci::use(attempt_nos.text(), "attempt_nos"),
                   soci::use(job_lease_ids.text(), "job_lease_ids"), soci::into(released))) {}
};

} // namespace

pg_claim_store::pg_claim_store(const postgres_config& config, const uuid& owner)
    : session_(config, "claim"), owner_(to_string(owner)) {}

std::vector<delivery_job> pg_claim_store::claim_once(const std::string& channel, uint32_t limit,
                                                     caf::timespan lease) {
  auto& floor = floors_[channel];
  auto now = std::chrono::steady_clock::now();
  auto full = floor.time == "-infinity" || now - floor.last_full >= full_claim_every;
  auto& x = session_.prepared<claim_statement>();
  x.channel = without_nul(channel);
  x.floor = full ? "-infinity" : floor.time;
  x.owner = owner_;
  x.limit = limit;
  x.lease_us = microseconds(lease);
  x.resize(limit);
  std::vector<delivery_job> jobs;
  if (x.statement.execute(true)) {
    jobs.reserve(x.job_id.size());
    for (size_t i = 0; i < x.job_id.size(); ++i)
      jobs.push_back(x.take(i));
    floor.time = x.next_floor.front();
  }
  if (full)
    floor.last_full = now;
  return jobs;
}

caf::expected<std::vector<delivery_job>>
pg_claim_store::claim(const std::string& channel, uint32_t limit, caf::timespan lease) {
  if (limit == 0)
    return std::vector<delivery_job>{};
  return session_.run([&] { return claim_once(channel, limit, lease); });
}

caf::expected<std::vector<int64_t>> pg_claim_store::heartbeat(const std::vector<int64_t>& lease_ids,
                                                              caf::timespan lease) {
  if (lease_ids.empty())
    return std::vector<int64_t>{};
  return session_.run([&] {
    auto& x = session_.prepared<heartbeat_statement>();
    x.ids.clear();
    for (auto id : lease_ids)
      x.ids.add_int(id);
    x.owner = owner_;
    x.lease_us = microseconds(lease);
    x.renewed.resize(lease_ids.size());
    if (!x.statement.execute(true))
      return std::vector<int64_t>{};
    return std::vector<int64_t>(x.renewed.begin(), x.renewed.end());
  });
}

caf::expected<uint64_t> pg_claim_store::release(const std::vector<attempt_ref>& unstarted) {
  if (unstarted.empty())
    return uint64_t{0};
  return session_.run([&] {
    auto& x = session_.prepared<release_statement>();
    for (auto* array : {&x.lease_ids, &x.job_ids, &x.attempt_nos, &x.job_lease_ids})
      array->clear();
    for (auto& ref : unstarted) {
      x.lease_ids.add_int(ref.lease_id);
      x.job_ids.add_uuid(ref.job_id);
      x.attempt_nos.add_int(ref.attempt_no);
      x.job_lease_ids.add_int(ref.lease_id);
    }
    x.owner = owner_;
    x.statement.execute(true);
    return static_cast<uint64_t>(x.released);
  });
}

} // namespace notify
