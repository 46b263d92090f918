// Measures the stores against a database of its own, beside the same work done inside the server
// by plain SQL: the ceiling. Usage:
//
//   notify-bench-stores URL [events per round = 100000] [finished jobs there before = 0]
//
// The database must hold no notifications; it is migrated, filled and left as it is.

#include "messages/error.hpp"
#include "persistence/migrator.hpp"
#include "persistence/pg_claim_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_result_store.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <thread>

namespace notify {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t ingest_batch_size = 1000;
constexpr uint32_t claim_batch_size = 500;

// The same two transactions as the stores', without a client: data made and used in place.
constexpr auto raw_procedures = R"(
create or replace procedure notify.bench_ingest(first bigint, count int) language sql as $$
  with fresh as (
    insert into notify.inbox_events (event_id, type, producer, aggregate_id, correlation_id,
      occurred_at, topic, partition, "offset", traceparent, payload, payload_sha256)
    select md5('raw' || g)::uuid, 'order.paid.v1', 'order-service', 'order-' || g, md5(g::text),
      now(), 'orders.events.v1', 0, g, '', json_build_object('filler', repeat('x', 780)),
      decode(md5(g::text) || md5(g::text), 'hex')
    from generate_series(first, first + count - 1) g
    on conflict do nothing returning event_id, "offset"),
  job as (
    insert into notify.notification_jobs (id, event_id, event_type, channel, recipient,
      template_key, locale)
    select ('018f' || lpad(to_hex("offset"), 12, '0') || substr(md5("offset"::text), 17))::uuid,
      event_id, 'order.paid.v1', 'raw', 'user@example.com', 'order-paid@1', 'en'
    from fresh
    on conflict do nothing returning id, channel)
  insert into notify.job_queue (job_id, due_at, attempt_no, channel)
  select id, now(), 1, channel from job
$$;
create or replace procedure notify.bench_deliver(count int) language plpgsql as $$
declare ids uuid[]; lease bigint; floor timestamptz := '-infinity'; next_floor timestamptz;
begin
  loop
    with due as materialized (
      select q.ctid as place, q.job_id, q.due_at from notify.job_queue q
      where q.channel = 'raw' and q.due_at <= now() and q.due_at >= floor
      order by q.due_at limit count for update skip locked),
    gone as (delete from notify.job_queue q using due where q.ctid = due.place),
    held as (
      insert into notify.leases (owner, channel, lease_until, job_ids, attempt_nos)
      select gen_random_uuid(), 'raw', now() + interval '1 minute', array_agg(job_id),
        array_agg(1) from due having count(*) > 0
      returning id, job_ids)
    select held.id, held.job_ids, (select max(due_at) - interval '500 ms' from due)
    into lease, ids, next_floor from held;
    commit;
    exit when ids is null;
    floor := next_floor;
    with attempt as (
      insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, finished_at,
        latency_ms, provider, provider_status, provider_message_id, phase, bytes_sent, content_hash)
      select id, 1, 'sent', now(), now(), 20, 'smtp', 250, 'message-' || id, 'done', 2000,
        md5(id::text) || md5(id::text)
      from unnest(ids) id order by 1 on conflict do nothing
      returning job_id, provider, provider_message_id),
    job as (
      update notify.notification_jobs j set status = 'sent', attempt_count = 1, updated_at = now(),
        finished_at = now(), provider = a.provider, provider_message_id = a.provider_message_id
      from attempt a where j.id = a.job_id and j.status = 'open')
    delete from notify.leases where id = lease;
    commit;
  end loop;
end $$;
)";

constexpr auto raw_clean_up = "drop procedure notify.bench_ingest; "
                              "drop procedure notify.bench_deliver";

[[noreturn]] void fail(const std::string& what) {
  std::cerr << what << '\n';
  std::exit(EXIT_FAILURE);
}

template <class T>
T value_or_exit(caf::expected<T> x) {
  if (!x)
    fail(render(x.error()));
  return std::move(*x);
}

// A connection for what is not measured.
class observer {
public:
  explicit observer(const postgres_config& config) : session_(config, "bench", planner::free) {}

  void run(const std::string& sql) {
    value_or_exit(session_.run([&] {
      session_.run_script(sql);
      return true;
    }));
  }

  double number(const std::string& sql) {
    return value_or_exit(session_.run([&] {
      double result = 0;
      session_.sql() << sql, soci::into(result);
      return result;
    }));
  }

  double wal() { return number("select (pg_current_wal_insert_lsn() - '0/0')::float8"); }

  // Transactions that wrote, by everyone.
  double transactions() {
    return number("select pg_snapshot_xmax(pg_current_snapshot())::text::float8");
  }

private:
  session session_;
};

struct bench {
  postgres_config config;
  observer watch;
  uint64_t next_event = 0;

  // Runs `work(index)` in parallel and prints its rate; returns jobs per second.
  double measure(const std::string& title, uint64_t jobs, size_t threads,
                 const std::function<void(size_t)>& work) {
    watch.run("checkpoint");
    auto wal = watch.wal();
    auto transactions = watch.transactions();
    auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> running;
      for (size_t i = 0; i < threads; ++i)
        running.emplace_back([&, i] { work(i); });
    }
    auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    auto count = static_cast<double>(jobs);
    std::printf("%-34s %8.0f jobs/s %6.0f WAL bytes/job %8.5f transactions/job\n", title.c_str(),
                count / seconds, (watch.wal() - wal) / count,
                (watch.transactions() - transactions) / count);
    std::fflush(stdout);
    return count / seconds;
  }

  ingest_batch make_batch(uint64_t first) const {
    ingest_batch batch;
    for (auto i = first; i < first + ingest_batch_size; ++i) {
      event x;
      x.event_id = uuid::random();
      x.type = "order.paid.v1";
      x.producer = "order-service";
      x.aggregate_id = "order-" + std::to_string(i);
      x.correlation_id = to_string(uuid::random());
      x.occurred_at_us = 1788278400000000 + static_cast<int64_t>(i);
      x.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
      x.payload = R"({"buyer_id":"2b1f","email":"user@example.com","currency":"RUB","note":")";
      x.payload.append(800 - x.payload.size() - 2, 'x').append("\"}");
      x.payload_sha256 = std::string(64, 'a');
      x.topic = "orders.events.v1";
      x.offset = static_cast<int64_t>(i);
      new_job job;
      job.id = {0x0190000000000000u + i, uuid::random().low};
      job.event_id = x.event_id;
      job.event_type = x.type;
      job.channel = "email";
      job.recipient = "user@example.com";
      job.template_key = "order-paid@1";
      job.locale = "en";
      batch.events.push_back(std::move(x));
      batch.jobs.push_back(std::move(job));
    }
    batch.moves = {{"orders.events.v1", static_cast<int32_t>(first / ingest_batch_size % 12),
                    static_cast<int64_t>(first), static_cast<int64_t>(first + ingest_batch_size),
                    ingest_batch_size}};
    return batch;
  }

  double ingest(uint64_t events, size_t threads) {
    std::vector<std::vector<ingest_batch>> batches(threads);
    for (uint64_t i = 0; i < events / ingest_batch_size; ++i, next_event += ingest_batch_size)
      batches[i % threads].push_back(make_batch(next_event));
    return measure("ingest, " + std::to_string(threads) + " session(s)", events, threads,
                   [&](size_t thread) {
                     pg_ingest_store store{config};
                     for (auto& batch : batches[thread])
                       value_or_exit(store.store(batch));
                   });
  }

  double deliver(uint64_t jobs, size_t threads) {
    return measure("claim + record, " + std::to_string(threads) + " thread(s)", jobs, threads,
                   [&](size_t) {
                     pg_claim_store claims{config, uuid::random()};
                     pg_result_store results{config};
                     while (deliver_some(claims, results)) {
                     }
                   });
  }

  static bool deliver_some(claim_store& claims, result_store& results) {
    auto jobs = value_or_exit(claims.claim("email", claim_batch_size, 60s));
    if (jobs.empty())
      return false;
    std::vector<attempt_result> finished;
    finished.reserve(jobs.size());
    for (auto& job : jobs) {
      attempt_result x;
      x.attempt = {job.job_id, job.attempt_no, job.lease_id};
      x.next = next_step::sent;
      x.idempotency_key = to_string(job.job_id);
      x.content_hash = std::string(64, 'c');
      x.started_ago = 20ms;
      x.answer.phase = send_phase::done;
      x.answer.provider = "smtp";
      x.answer.provider_status = 250;
      x.answer.provider_message_id = "message-" + x.idempotency_key;
      x.answer.bytes_sent = 2000;
      finished.push_back(std::move(x));
    }
    value_or_exit(results.record(finished, {jobs.front().lease_id}));
    return true;
  }

  double raw_ingest(uint64_t events, size_t threads) {
    auto first = next_event;
    next_event += events;
    auto share = events / threads;
    return measure(
        "  plain SQL ingest, " + std::to_string(threads), events, threads, [&](size_t thread) {
          observer sql{config};
          for (uint64_t i = 0; i < share; i += ingest_batch_size)
            sql.run("call notify.bench_ingest(" + std::to_string(first + thread * share + i) + ", "
                    + std::to_string(ingest_batch_size) + ")");
        });
  }

  double raw_deliver(uint64_t jobs, size_t threads) {
    return measure("  plain SQL claim + record, " + std::to_string(threads), jobs, threads,
                   [&](size_t) {
                     observer sql{config};
                     sql.run("set enable_seqscan = off; set enable_bitmapscan = off; "
                             "set plan_cache_mode = force_custom_plan");
                     sql.run("call notify.bench_deliver(" + std::to_string(claim_batch_size) + ")");
                   });
  }

  // Finished jobs of former days, without statistics.
  void preload(uint64_t count) {
    if (count == 0)
      return;
    auto series = "generate_series(1, " + std::to_string(count) + ") g";
    watch.run("insert into notify.notification_jobs (id, event_id, created_at, finished_at, "
              "event_type, channel, recipient, template_key, locale, status, attempt_count) "
              "select ('0180' || lpad(to_hex(g), 12, '0') || substr(md5(g::text), 17))::uuid, "
              "md5('e' || g)::uuid, now() - interval '1 day', now(), 'order.paid.v1', 'email', "
              "'user@example.com', 'order-paid@1', 'en', 'sent', 1 from "
              + series);
    watch.run("insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, "
              "finished_at) select ('0180' || lpad(to_hex(g), 12, '0') || "
              "substr(md5(g::text), 17))::uuid, 1, 'sent', now(), now() from "
              + series);
  }

  void run(uint64_t events) {
    for (size_t threads : {1u, 2u}) {
      auto ours = ingest(events, threads);
      auto raw = raw_ingest(events, threads);
      std::printf("  ratio %.2f\n", ours / raw);
    }
    // The rounds above left two times `events` of each kind.
    for (size_t threads : {1u, 2u}) {
      if (threads == 2) {
        ingest(2 * events, 2);
        raw_ingest(2 * events, 2);
      }
      auto ours = deliver(2 * events, threads);
      auto raw = raw_deliver(2 * events, threads);
      std::printf("  ratio %.2f\n", ours / raw);
    }
    std::printf("jobs sent: %.0f, HOT updates: %.0f %%\n",
                watch.number("select count(*)::float8 from notify.notification_jobs "
                             "where status = 'sent'"),
                watch.number("select 100.0 * sum(n_tup_hot_upd) / nullif(sum(n_tup_upd), 0) from "
                             "pg_stat_user_tables where relname = 'notification_jobs'"));
  }
};

int run(int argc, char** argv) {
  if (argc < 2)
    fail("usage: notify-bench-stores URL [events per round] [finished jobs there before]");
  postgres_config config;
  config.url = argv[1];
  config.application_name = "notify-bench";
  config.statement_timeout = 10min;
  uint64_t events = argc > 2 ? std::stoull(argv[2]) : 100000;
  events = std::max<uint64_t>(events / (2 * ingest_batch_size), 1) * 2 * ingest_batch_size;
  value_or_exit(migrate(config));
  bench b{config, observer{config}};
  if (b.watch.number(
          "select count(*)::float8 from (select from notify.notification_jobs limit 1) x")
      > 0)
    fail("this database holds notifications; give the benchmark one of its own");
  b.preload(argc > 3 ? std::stoull(argv[3]) : 0);
  b.watch.run(raw_procedures);
  b.run(events);
  b.watch.run(raw_clean_up);
  return EXIT_SUCCESS;
}

} // namespace
} // namespace notify

int main(int argc, char** argv) {
  return notify::run(argc, argv);
}
