#include "actors/kafka/admin.hpp"
#include "actors/kafka/producer.hpp"
#include "messages/error.hpp"
#include "tools/bench/database.hpp"
#include "tools/bench/notifyd_run.hpp"
#include "tools/bench/program.hpp"
#include "tools/bench/progress.hpp"
#include "tools/sample_events.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <thread>

// The whole service under load: a real Kafka, a real PostgreSQL, `notifyd` as a process of its own
// with the `log` provider. Times are the database's where a step ends in the database.

namespace notify::bench {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr cli::option options[] = {
    {"postgres", "URL", "An empty database of this benchmark's own.", {}},
    {"brokers", "LIST", "Kafka, host:port.", "127.0.0.1:9092"},
    {"notifyd", "PATH", "The program to measure.", {}},
    {"config-folder", "PATH", "The folder with routes.json and templates.", {}},
    {"events", "N", "Events of each throughput step.", "100000"},
    {"rate", "N", "Events a second of the latency step.", "200"},
    {"latency-events", "N", "Events of the latency step.", "2000"},
    {"slots", "N", "Delivery workers of the channel.", "1024"},
    {"writers", "N", "Inbox writers, and result writers.", "2"},
};

struct setup {
  std::string postgres, brokers, notifyd, config_folder;
  uint64_t events = 0, rate = 0, latency_events = 0, slots = 0, writers = 0;
};

/// A rate and what it cost.
struct measurement {
  double per_second = 0;
  double transactions_per_job = 0;
};

[[noreturn]] void give_up(const caf::error& err) {
  throw std::runtime_error{render(err)};
}

class benchmark {
public:
  explicit benchmark(setup x) : setup_(std::move(x)), db_(setup_.postgres) {}

  void run();

private:
  std::vector<std::string> arguments(const std::string& topic, bool ingest, bool deliver) const;
  void create_topic(const std::string& name);
  void publish(const std::string& topic, uint64_t count, uint64_t rate, const std::string& step);
  measurement ingest_backlog(const std::string& topic);
  measurement burn_down(const std::string& topic);
  measurement whole_path();
  void latency(double& p50, double& p99);

  setup setup_;
  database db_;
};

std::vector<std::string> benchmark::arguments(const std::string& topic, bool ingest,
                                              bool deliver) const {
  auto on = [](bool x) { return std::string{x ? "true" : "false"}; };
  auto number = [](uint64_t x) { return std::to_string(x); };
  return {"run",
          "--service.routes-file=" + setup_.config_folder + "/routes.json",
          "--service.templates-folder=" + setup_.config_folder + "/templates",
          "--service.run-ingest=" + on(ingest),
          "--service.run-deliver=" + on(deliver),
          "--service.run-http=false",
          "--postgres.url=" + setup_.postgres,
          "--kafka.brokers=[\"" + setup_.brokers + "\"]",
          "--kafka.topics=[\"" + topic + "\"]",
          "--kafka.group=bench-" + topic,
          "--kafka.first-start=earliest",
          "--ingest.writers=" + number(setup_.writers),
          "--delivery.result-writers=" + number(setup_.writers),
          "--channel-email.provider=log",
          "--channel-email.slots=" + number(setup_.slots),
          "--channel-email.prefetch=" + number(setup_.slots),
          "--logging.level=warning"};
}

void benchmark::create_topic(const std::string& name) {
  auto client = kafka::admin::create({setup_.brokers}, "bench");
  if (!client)
    give_up(client.error());
  auto created = client->create_missing({{name, 4, {}}}, 30s);
  if (!created)
    give_up(created.error());
  if (auto err = client->wait_for({name}, 30s))
    give_up(err);
}

void benchmark::publish(const std::string& topic, uint64_t count, uint64_t rate,
                        const std::string& step) {
  uint64_t acknowledged = 0;
  kafka::producer_config config;
  config.brokers = {setup_.brokers};
  auto producer = kafka::producer::create(config, [&](const kafka::delivery_report& x) {
    acknowledged += x.result == kafka::delivery::acknowledged ? 1 : 0;
  });
  if (!producer)
    give_up(producer.error());
  progress bar{step, count};
  auto start = clock::now();
  for (uint64_t i = 0; i < count; ++i) {
    if (rate > 0)
      std::this_thread::sleep_until(start + i * 1'000'000us / rate);
    auto record = sample::make_event({});
    record.topic = topic;
    if (auto err = (*producer)->produce(record))
      give_up(err);
    if (i % 256 == 0 || rate > 0) {
      (*producer)->poll(0s);
      bar.show(i);
    }
  }
  if (auto err = (*producer)->flush(60s))
    give_up(err);
  bar.finish();
  if (acknowledged != count)
    throw std::runtime_error{"Kafka did not take all events"};
}

measurement benchmark::ingest_backlog(const std::string& topic) {
  auto before = db_.commits();
  notifyd_run service{setup_.notifyd, arguments(topic, true, false)};
  progress bar{"ingesting ", setup_.events};
  db_.wait_until(service, bar,
                 "select coalesce(sum(total_records), 0)::float8 from notify.partition_ledger"
                 " where topic = '"
                     + topic + "'",
                 setup_.events);
  service.stop();
  // received_at is when a batch's transaction began, moved_at of the last one likewise: the
  // duration of one batch is missing at the end and nothing at the start.
  auto seconds = db_.value("select extract(epoch from max(received_at) - min(received_at))::float8"
                           " from notify.inbox_events where topic = '"
                           + topic + "'");
  measurement result;
  result.per_second = static_cast<double>(setup_.events) / seconds;
  result.transactions_per_job =
      static_cast<double>(db_.commits() - before) / static_cast<double>(setup_.events);
  return result;
}

measurement benchmark::burn_down(const std::string& topic) {
  auto before = db_.commits();
  notifyd_run service{setup_.notifyd, arguments(topic, false, true)};
  progress bar{"delivering", setup_.events};
  db_.wait_until(service, bar, "select count(*)::float8 from notify.delivery_attempts",
                 setup_.events);
  service.stop();
  auto seconds = db_.value("select extract(epoch from max(finished_at) - min(started_at))::float8"
                           " from notify.delivery_attempts");
  measurement result;
  result.per_second = static_cast<double>(setup_.events) / seconds;
  result.transactions_per_job =
      static_cast<double>(db_.commits() - before) / static_cast<double>(setup_.events);
  return result;
}

measurement benchmark::whole_path() {
  create_topic("bench-path");
  auto before = db_.commits();
  auto sent =
      static_cast<uint64_t>(db_.value("select count(*)::float8 from notify.delivery_attempts"));
  notifyd_run service{setup_.notifyd, arguments("bench-path", true, true)};
  auto start = db_.value("select extract(epoch from clock_timestamp())::float8");
  publish("bench-path", setup_.events, 0, "publishing");
  progress bar{"whole path", setup_.events};
  db_.wait_until(service, bar,
                 "select count(*)::float8 - " + std::to_string(sent)
                     + " from notify.delivery_attempts",
                 setup_.events);
  service.stop();
  auto end = db_.value("select extract(epoch from max(finished_at))::float8"
                       " from notify.delivery_attempts");
  measurement result;
  result.per_second = static_cast<double>(setup_.events) / (end - start);
  result.transactions_per_job =
      static_cast<double>(db_.commits() - before) / static_cast<double>(setup_.events);
  return result;
}

void benchmark::latency(double& p50, double& p99) {
  const std::string topic = "bench-latency";
  create_topic(topic);
  notifyd_run service{setup_.notifyd, arguments(topic, true, true)};
  auto sent =
      static_cast<uint64_t>(db_.value("select count(*)::float8 from notify.delivery_attempts"));
  // The first events also wait for the group to form; they are not counted.
  constexpr uint64_t warm_up = 100;
  publish(topic, warm_up, 0, "warming up");
  progress warm{"waiting   ", warm_up};
  auto count_sql =
      "select count(*)::float8 - " + std::to_string(sent) + " from notify.delivery_attempts";
  db_.wait_until(service, warm, count_sql, warm_up);
  auto start = db_.value("select extract(epoch from clock_timestamp())::float8");
  publish(topic, setup_.latency_events, setup_.rate, "trickling ");
  progress bar{"waiting   ", setup_.latency_events + warm_up};
  db_.wait_until(service, bar, count_sql, setup_.latency_events + warm_up);
  service.stop();
  auto quantile = [&](const char* q) {
    return db_.value(
        "select percentile_cont(" + std::string{q}
        + ") within group (order by"
          " extract(epoch from a.finished_at - e.occurred_at) * 1000)::float8"
          " from notify.delivery_attempts a join notify.notification_jobs j on j.id = a.job_id"
          " join notify.inbox_events e on e.event_id = j.event_id"
          " where e.topic = '"
        + topic + "' and e.occurred_at >= to_timestamp(" + std::to_string(start) + ")");
  };
  p50 = quantile("0.5");
  p99 = quantile("0.99");
}

void print(const char* name, const measurement& x, const char* what) {
  std::printf("%-22s %10.0f %s/s   %.4f transactions/%.*s\n", name, x.per_second, what,
              x.transactions_per_job, 5, what);
}

void benchmark::run() {
  create_topic("bench-backlog");
  publish("bench-backlog", setup_.events, 0, "publishing");
  auto ingest = ingest_backlog("bench-backlog");
  auto burn = burn_down("bench-backlog");
  auto path = whole_path();
  double p50 = 0;
  double p99 = 0;
  latency(p50, p99);
  std::printf("\n%llu events a step, %llu slots, %llu writers of each kind\n",
              static_cast<unsigned long long>(setup_.events),
              static_cast<unsigned long long>(setup_.slots),
              static_cast<unsigned long long>(setup_.writers));
  print("ingest of a backlog", ingest, "event");
  print("burn-down of a backlog", burn, "job");
  print("whole path", path, "job");
  std::printf("event to sent at %llu/s   p50 %.1f ms   p99 %.1f ms\n",
              static_cast<unsigned long long>(setup_.rate), p50, p99);
}

caf::expected<setup> read_setup(const cli::arguments& args) {
  setup x;
  x.postgres = args.at("postgres");
  x.brokers = args.at("brokers");
  x.notifyd = args.at("notifyd");
  x.config_folder = args.at("config-folder");
  if (auto err = read_options(args,
                              {{"events", &x.events},
                               {"rate", &x.rate},
                               {"latency-events", &x.latency_events},
                               {"slots", &x.slots},
                               {"writers", &x.writers}},
                              {"postgres", "notifyd", "config-folder"}))
    return err;
  return x;
}

int run(std::span<const char* const> words) {
  return run_program("notify-bench-pipeline", "--postgres=URL --notifyd=PATH --config-folder=PATH",
                     options, words, read_setup, [](const setup& x) { benchmark{x}.run(); });
}

} // namespace
} // namespace notify::bench

int main(int argc, char** argv) {
  std::vector<const char*> words(argv + 1, argv + argc);
  return notify::bench::run(words);
}
