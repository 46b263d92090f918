#include "persistence/pg_result_store.hpp"

#include "persistence/pg_array.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace notify {

namespace {

// Lock order: the finished leases by id (the reaper takes its leases first too, so neither waits
// for the other with attempts in hand), then by key each attempt with its job, then queue rows.
// The arrays are sorted, and the leases are locked before the first insert: `input` cannot yield
// a row without their count.
//
// The insert is the fence. What it returns carries all that the job needs, so that the only join
// is to the record by its primary key. A job that ended otherwise meanwhile stays as it is.
constexpr auto record_attempts = R"(
with held as materialized (
  select id from notify.leases where id = any (:done_leases::bigint[]) order by id for update),
input as (
  select u.* from
    unnest(:job_ids::uuid[], :attempt_nos::int[], :results::text[], :budgets::text[],
      :delays_us::bigint[], :ages_us::bigint[], :codes::text[], :providers::text[],
      :statuses::int[], :provider_codes::text[], :message_ids::text[], :phases::text[],
      :bytes_sent::bigint[], :details::text[], :wait_hints_ms::bigint[], :keys::text[],
      :hashes::text[])
    as u(job_id, attempt_no, result, budget, delay_us, age_us, code, provider, status,
      provider_code, message_id, phase, bytes_sent, detail, wait_hint_ms, key, hash),
    (select count(*) from held) as after_the_locks),
attempt as (
  insert into notify.delivery_attempts (job_id, attempt_no, result, budget, next_attempt_at,
    started_at, finished_at, latency_ms, error_code, provider, provider_status, provider_code,
    provider_message_id, phase, bytes_sent, detail, wait_hint_ms, idempotency_key, content_hash)
  select job_id, attempt_no, result, budget, now() + delay_us * interval '1 microsecond',
    now() - age_us * interval '1 microsecond', now(), age_us / 1000, code, provider, status,
    provider_code, message_id, phase, bytes_sent, detail, wait_hint_ms, key, hash
  from input
  order by job_id, attempt_no
  on conflict do nothing
  returning job_id, attempt_no, result, budget, next_attempt_at, error_code, provider,
    provider_message_id),
job as (
  update notify.notification_jobs j set
    status = case when a.next_attempt_at is not null then 'open'
      when a.result = 'sent' then 'sent' else 'dead' end,
    dead_reason = case when a.next_attempt_at is not null or a.result = 'sent' then null
      when a.budget = 'reclaim' then 'reclaim_limit'
      when a.error_code = 'expired' then 'expired'
      when a.result in ('permanent_provider_error', 'invalid_template_error',
        'invalid_event_error') then a.result
      else 'attempts_exhausted' end,
    attempt_count = a.attempt_no,
    failures = j.failures + (a.budget is not distinct from 'failure')::int,
    reclaims = j.reclaims + (a.budget is not distinct from 'reclaim')::int,
    interruptions = j.interruptions + (a.budget is not distinct from 'none')::int,
    last_error_class = case a.result when 'sent' then j.last_error_class
      when 'abandoned' then 'unknown_outcome' else a.result end,
    last_error_code = case a.result when 'sent' then j.last_error_code else a.error_code end,
    provider = coalesce(a.provider, j.provider),
    provider_message_id = coalesce(a.provider_message_id, j.provider_message_id),
    finished_at = case when a.next_attempt_at is null then now() end,
    updated_at = now()
  from attempt a
  where j.id = a.job_id and j.status = 'open'
  returning j.id, j.channel, a.attempt_no, a.next_attempt_at),
again as (
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select id, next_attempt_at, attempt_no + 1, channel from job where next_attempt_at is not null),
done as (
  delete from notify.leases l using held where l.id = held.id)
select job_id::text, attempt_no from attempt
)";

// Lock order: attempt, job, queue row, in two statements. The second must see what was committed
// before the first got the job's lock: a retry recorded meanwhile has put the job into the queue.
constexpr auto mark_late_success = R"(
with late as (
  update notify.delivery_attempts
  set late_result = 'sent',
    provider_message_id = coalesce(:message_id_1::text, provider_message_id)
  where job_id = :job_id::uuid and attempt_no = :attempt_no::int and result = 'abandoned'
  returning job_id),
job as (
  update notify.notification_jobs j set status = 'sent', finished_at = now(), updated_at = now(),
    provider = coalesce(:provider::text, j.provider),
    provider_message_id = coalesce(:message_id_2::text, j.provider_message_id)
  from late
  where j.id = late.job_id and j.status = 'open'
  returning j.id)
select count(*) from job
)";

constexpr auto leave_queue = "delete from notify.job_queue where job_id = :job_id::uuid";

long long microseconds(caf::timespan x) {
  return std::chrono::duration_cast<std::chrono::microseconds>(x).count();
}

// Which budget an attempt used up, if any; a success has none to lose.
const char* budget_of(const attempt_result& x) {
  if (x.counts_as_reclaim)
    return "reclaim";
  return x.counts_as_failure ? "failure" : "none";
}

struct record_statement {
  pg_array done_leases, job_ids, attempt_nos, outcomes, budgets, delays_us, ages_us, codes,
      providers, statuses, provider_codes, message_ids, phases, bytes_sent, details, wait_hints_ms,
      keys, hashes;
  std::vector<std::string> recorded_ids;
  std::vector<long long> recorded_nos;
  soci::statement statement;

  explicit record_statement(soci::session& sql)
      : statement((
          sql.prepare << record_attempts, soci::use(done_leases.text(), "done_leases"),
          soci::use(job_ids.text(), "job_ids"), soci::use(attempt_nos.text(), "attempt_nos"),
          soci::use(outcomes.text(), "results"), soci::use(budgets.text(), "budgets"),
          soci::use(delays_us.text(), "delays_us"), soci::use(ages_us.text(), "ages_us"),
          soci::use(codes.text(), "codes"), soci::use(providers.text(), "providers"),
          soci::use(statuses.text(), "statuses"),
          soci::use(provider_codes.text(), "provider_codes"),
          soci::use(message_ids.text(), "message_ids"), soci::use(phases.text(), "phases"),
          soci::use(bytes_sent.text(), "bytes_sent"), soci::use(details.text(), "details"),
          soci::use(wait_hints_ms.text(), "wait_hints_ms"), soci::use(keys.text(), "keys"),
          soci::use(hashes.text(), "hashes"), soci::into(recorded_ids), soci::into(recorded_nos))) {
  }

  void clear() {
    for (auto* array : {&done_leases, &job_ids, &attempt_nos, &outcomes, &budgets, &delays_us,
                        &ages_us, &codes, &providers, &statuses, &provider_codes, &message_ids,
                        &phases, &bytes_sent, &details, &wait_hints_ms, &keys, &hashes})
      array->clear();
  }

  void add(const attempt_result& x) {
    job_ids.add_uuid(x.attempt.job_id);
    attempt_nos.add_int(x.attempt.attempt_no);
    ages_us.add_int(microseconds(x.started_ago));
    add_fate(x);
    add_answer(x.answer);
    // The job's id is the usual key; not to repeat it saves a tenth of the row.
    if (x.idempotency_key == to_string(x.attempt.job_id))
      keys.add_null();
    else
      keys.add_text_or_null(x.idempotency_key);
    hashes.add_text_or_null(x.content_hash);
  }

  void add_fate(const attempt_result& x) {
    if (x.next == next_step::sent) {
      outcomes.add_text("sent");
      budgets.add_null();
    } else if (x.result.empty() || x.result == "sent") {
      throw refused_value{"an attempt without an error class"};
    } else {
      outcomes.add_text(x.result);
      budgets.add_text(budget_of(x));
    }
    if (x.next == next_step::retry)
      delays_us.add_int(microseconds(x.delay));
    else
      delays_us.add_null();
  }

  void add_answer(const outcome& x) {
    codes.add_text_or_null(x.reason);
    providers.add_text_or_null(x.provider);
    if (x.provider_status != 0)
      statuses.add_int(x.provider_status);
    else
      statuses.add_null();
    provider_codes.add_text_or_null(x.provider_code);
    message_ids.add_text_or_null(x.provider_message_id);
    phases.add_text(to_string(x.phase));
    bytes_sent.add_int(static_cast<int64_t>(x.bytes_sent));
    details.add_text_or_null(x.detail);
    if (x.wait_hint.count() > 0)
      wait_hints_ms.add_int(microseconds(x.wait_hint) / 1000);
    else
      wait_hints_ms.add_null();
  }
};

struct late_success_statement {
  std::string job_id, provider, message_id;
  soci::indicator has_provider = soci::i_ok, has_message_id = soci::i_ok;
  int attempt_no = 0;
  long long changed = 0;
  soci::statement statement;

  explicit late_success_statement(soci::session& sql)
      : statement((sql.prepare << mark_late_success,
                   soci::use(message_id, has_message_id, "message_id_1"),
                   soci::use(job_id, "job_id"), soci::use(attempt_no, "attempt_no"),
                   soci::use(provider, has_provider, "provider"),
                   soci::use(message_id, has_message_id, "message_id_2"), soci::into(changed))) {}

  void fill(const attempt_result& x) {
    job_id = to_string(x.attempt.job_id);
    attempt_no = x.attempt.attempt_no;
    provider = without_nul(x.answer.provider);
    message_id = without_nul(x.answer.provider_message_id);
    has_provider = provider.empty() ? soci::i_null : soci::i_ok;
    has_message_id = message_id.empty() ? soci::i_null : soci::i_ok;
  }
};

using attempt_key = std::pair<uuid, int32_t>;

attempt_key key_of(const attempt_result& x) {
  return {x.attempt.job_id, x.attempt.attempt_no};
}

// The position of the first result for each attempt, by key.
std::map<attempt_key, size_t> first_of_each(const std::vector<attempt_result>& results) {
  std::map<attempt_key, size_t> positions;
  for (size_t i = 0; i < results.size(); ++i)
    positions.emplace(key_of(results[i]), i);
  return positions;
}

std::vector<bool> record_batch(session& db, const std::vector<attempt_result>& results,
                               const std::vector<int64_t>& done_leases) {
  auto& x = db.prepared<record_statement>();
  x.clear();
  for (auto id : done_leases)
    x.done_leases.add_int(id);
  auto positions = first_of_each(results);
  for (auto& [key, position] : positions)
    x.add(results[position]);
  auto rows = std::max<size_t>(positions.size(), 1);
  x.recorded_ids.resize(rows);
  x.recorded_nos.resize(rows);
  std::vector<bool> applied(results.size(), false);
  if (!x.statement.execute(true))
    return applied;
  for (size_t i = 0; i < x.recorded_ids.size(); ++i) {
    auto job_id = uuid::parse(x.recorded_ids[i]);
    applied[positions.at({job_id.value(), static_cast<int32_t>(x.recorded_nos[i])})] = true;
  }
  return applied;
}

} // namespace

pg_result_store::pg_result_store(const postgres_config& config) : session_(config, "result") {}

caf::expected<std::vector<bool>> pg_result_store::record(const std::vector<attempt_result>& results,
                                                         const std::vector<int64_t>& done_leases) {
  if (results.empty() && done_leases.empty())
    return std::vector<bool>{};
  return session_.run([&] { return record_batch(session_, results, done_leases); });
}

caf::expected<bool> pg_result_store::record_late_success(const attempt_result& result) {
  return run_transaction(session_, [&] {
    auto& x = session_.prepared<late_success_statement>();
    x.fill(result);
    x.statement.execute(true);
    if (x.changed > 0)
      session_.sql() << leave_queue, soci::use(x.job_id, "job_id");
    return x.changed > 0;
  });
}

} // namespace notify
