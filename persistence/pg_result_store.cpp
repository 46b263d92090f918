#include "persistence/pg_result_store.hpp"

#include "messages/safe_text.hpp"
#include "persistence/pg_array.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace notify {

namespace {

long long microseconds(caf::timespan x) {
  return std::chrono::duration_cast<std::chrono::microseconds>(x).count();
}

// What providers say is cut and cleaned once more here, so that no text of theirs can keep a
// result from being recorded. Adapters cut it shorter, each in its own way.
constexpr size_t max_name = 1000;
constexpr size_t max_detail = 4096;

// Which budget an attempt used up, if any; a success has none to lose.
const char* budget_of(const attempt_result& x) {
  if (x.counts_as_reclaim)
    return "reclaim";
  return x.counts_as_failure ? "failure" : "none";
}

// A wait of nothing is no wait.
void add_milliseconds(pg_array& to, caf::timespan x) {
  if (x.count() > 0)
    to.add_int(microseconds(x) / 1000);
  else
    to.add_null();
}

struct record_statement {
  pg_array done_leases, job_ids, attempt_nos, outcomes, budgets, delays_us, dead_reasons, ages_us,
      codes, providers, statuses, provider_codes, message_ids, phases, bytes_sent, details,
      wait_hints_ms, waits_clamped_ms, keys, hashes, suppress;
  long long suppress_us = 0;
  std::vector<std::string> recorded_ids;
  std::vector<long long> recorded_nos;
  soci::statement statement;

  record_statement(soci::session& sql, const std::string& text)
      : statement(
          (sql.prepare << text, soci::use(done_leases.text(), "done_leases"),
           soci::use(job_ids.text(), "job_ids"), soci::use(attempt_nos.text(), "attempt_nos"),
           soci::use(outcomes.text(), "results"), soci::use(budgets.text(), "budgets"),
           soci::use(delays_us.text(), "delays_us"), soci::use(dead_reasons.text(), "dead_reasons"),
           soci::use(ages_us.text(), "ages_us"), soci::use(codes.text(), "codes"),
           soci::use(providers.text(), "providers"), soci::use(statuses.text(), "statuses"),
           soci::use(provider_codes.text(), "provider_codes"),
           soci::use(message_ids.text(), "message_ids"), soci::use(phases.text(), "phases"),
           soci::use(bytes_sent.text(), "bytes_sent"), soci::use(details.text(), "details"),
           soci::use(wait_hints_ms.text(), "wait_hints_ms"),
           soci::use(waits_clamped_ms.text(), "waits_clamped_ms"), soci::use(keys.text(), "keys"),
           soci::use(hashes.text(), "hashes"), soci::use(suppress.text(), "suppress"),
           soci::use(suppress_us, "suppress_us"), soci::into(recorded_ids),
           soci::into(recorded_nos))) {}

  void clear() {
    for (auto* array :
         {&done_leases,  &job_ids, &attempt_nos, &outcomes,  &budgets,       &delays_us,
          &dead_reasons, &ages_us, &codes,       &providers, &statuses,      &provider_codes,
          &message_ids,  &phases,  &bytes_sent,  &details,   &wait_hints_ms, &waits_clamped_ms,
          &keys,         &hashes,  &suppress})
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
    // The statement knows what an empty one means.
    dead_reasons.add_text_or_null(x.next == next_step::dead ? x.dead_reason : std::string{});
    add_milliseconds(waits_clamped_ms, x.clamped_wait);
  }

  void add_answer(const outcome& x) {
    codes.add_text_or_null(safe_text(x.reason, max_name));
    providers.add_text_or_null(safe_text(x.provider, max_name));
    if (x.provider_status != 0)
      statuses.add_int(x.provider_status);
    else
      statuses.add_null();
    provider_codes.add_text_or_null(safe_text(x.provider_code, max_name));
    message_ids.add_text_or_null(safe_text(x.provider_message_id, max_name));
    phases.add_text(to_string(x.phase));
    bytes_sent.add_int(static_cast<int64_t>(x.bytes_sent));
    details.add_text_or_null(safe_text(x.detail, max_detail));
    add_milliseconds(wait_hints_ms, x.wait_hint);
    suppress.add_bool(x.suppress_recipient);
  }
};

struct late_success_statement {
  std::string job_id, provider, message_id;
  soci::indicator has_provider = soci::i_ok, has_message_id = soci::i_ok;
  int attempt_no = 0;
  long long changed = 0;
  soci::statement statement;

  late_success_statement(soci::session& sql, const std::string& text)
      : statement((sql.prepare << text, soci::use(message_id, has_message_id, "message_id_1"),
                   soci::use(job_id, "job_id"), soci::use(attempt_no, "attempt_no"),
                   soci::use(provider, has_provider, "provider"),
                   soci::use(message_id, has_message_id, "message_id_2"), soci::into(changed))) {}

  void fill(const attempt_result& x) {
    job_id = to_string(x.attempt.job_id);
    attempt_no = x.attempt.attempt_no;
    provider = safe_text(x.answer.provider, max_name);
    message_id = safe_text(x.answer.provider_message_id, max_name);
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

std::vector<bool> record_batch(record_statement& x, const std::vector<attempt_result>& results,
                               const std::vector<int64_t>& done_leases) {
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

pg_result_store::pg_result_store(const postgres_config& config, caf::timespan suppress_for,
                                 delivery_statements statements)
    : session_(config, "result"), suppress_for_(suppress_for), statements_(std::move(statements)) {}

caf::expected<std::vector<bool>> pg_result_store::record(const std::vector<attempt_result>& results,
                                                         const std::vector<int64_t>& done_leases) {
  if (results.empty() && done_leases.empty())
    return std::vector<bool>{};
  return session_.run([&] {
    auto& x = session_.prepared<record_statement>(statements_.record_attempts);
    x.suppress_us = microseconds(suppress_for_);
    return record_batch(x, results, done_leases);
  });
}

caf::expected<bool> pg_result_store::record_late_success(const attempt_result& result) {
  return run_transaction(session_, [&] {
    auto& x = session_.prepared<late_success_statement>(statements_.mark_late_success);
    x.fill(result);
    x.statement.execute(true);
    if (x.changed > 0)
      session_.sql() << statements_.leave_queue, soci::use(x.job_id, "job_id");
    return x.changed > 0;
  });
}

} // namespace notify
