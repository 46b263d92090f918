#include "tests/persistence/samples.hpp"

#include "messages/error.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace notify::test {

event sample_event(uint64_t number) {
  event x;
  x.event_id = {0x1111000000000000u, number};
  x.type = "order.paid.v1";
  x.producer = "order-service";
  x.aggregate_id = "order-" + std::to_string(number);
  x.correlation_id = "correlation-" + std::to_string(number);
  x.occurred_at_us = 1788278400123456 + static_cast<int64_t>(number);
  x.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  x.payload = R"({"email":"a@example.com","note":"quote \" backslash \\ {comma, brace}"})";
  x.payload_sha256 = std::string(64, 'a');
  x.topic = "orders.events.v1";
  x.partition = 3;
  x.offset = static_cast<int64_t>(number);
  return x;
}

new_job sample_job(const event& of, const std::string& channel) {
  new_job x;
  x.id = {0x2222000000000000u + of.event_id.low, std::hash<std::string>{}(channel)};
  x.event_id = of.event_id;
  x.event_type = of.type;
  x.channel = channel;
  x.recipient = "a@example.com";
  x.template_key = "order-paid@1";
  x.locale = "en";
  return x;
}

ingest_batch sample_batch(uint64_t count, const std::vector<std::string>& channels) {
  ingest_batch batch;
  for (uint64_t i = 1; i <= count; ++i) {
    batch.events.push_back(sample_event(i));
    for (auto& channel : channels)
      batch.jobs.push_back(sample_job(batch.events.back(), channel));
  }
  return batch;
}

void ingest(postgres_fixture& db, uint64_t count, const std::vector<std::string>& channels) {
  pg_ingest_store store{db.config()};
  auto report = store.store(sample_batch(count, channels));
  if (!report)
    FAIL(render(report.error()));
}

attempt_ref ref_of(const delivery_job& job) {
  return {job.job_id, job.attempt_no, job.lease_id};
}

attempt_result sample_result(const delivery_job& job, next_step next) {
  attempt_result x;
  x.attempt = ref_of(job);
  x.lease_size = job.lease_size;
  x.next = next;
  x.result = next == next_step::sent   ? "sent"
             : next == next_step::dead ? "permanent_provider_error"
                                       : "retryable_provider_error";
  if (next == next_step::dead)
    x.dead_reason = x.result;
  x.answer.kind = next == next_step::sent ? outcome_kind::sent : outcome_kind::retry;
  x.answer.phase = send_phase::done;
  x.answer.provider = "smtp";
  x.answer.provider_status = next == next_step::sent ? 250 : 451;
  x.answer.reason = next == next_step::sent ? "" : "smtp_refused";
  x.idempotency_key = to_string(job.job_id);
  x.started_ago = 20ms;
  return x;
}

std::string status_of(postgres_fixture& db, const uuid& job_id) {
  return db.value("select status from notify.notifications where id = '" + to_string(job_id) + "'");
}

bool blocked(postgres_fixture& db, const std::string& role) {
  return eventually([&] {
    return db.value("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                    "datname = current_database() and application_name = 'test/"
                    + role + "'")
           == "1";
  });
}

namespace {

// Each job with the number of its places.
constexpr auto places = R"(
  with entry as (
    select u.job_id, u.attempt_no
    from notify.leases l, unnest(l.job_ids, l.attempt_nos) as u(job_id, attempt_no)
    where not exists (select from notify.delivery_attempts a
      where a.job_id = u.job_id and a.attempt_no = u.attempt_no)),
  in_flight as (select job_id, count(*) as times from entry group by job_id),
  place as (
    select j.id, j.status, count(q.job_id) as waiting, coalesce(max(f.times), 0) as in_flight
    from notify.notification_jobs j
    left join notify.job_queue q on q.job_id = j.id
    left join in_flight f on f.job_id = j.id
    group by j.id)
  select count(*) from place where )";

const std::string misplaced = std::string{places}
                              + "case status when 'open' then waiting + in_flight <> 1 "
                                "else waiting <> 0 end";

} // namespace

int misplaced_jobs(postgres_fixture& db) {
  return std::stoi(db.value(misplaced));
}

int misplaced_jobs(raw_connection& db) {
  return std::stoi(db.query(misplaced).at(0).at(0));
}

int overtaken_jobs(postgres_fixture& db) {
  return std::stoi(db.value(std::string{places} + "status <> 'open' and in_flight > 0"));
}

} // namespace notify::test
