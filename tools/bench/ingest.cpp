// How many records a second go through the consumer and the inbox writers when storage costs
// nothing: notify-bench-ingest BROKERS [RECORDS] [WRITERS] [VALUE_BYTES] [BAD_EVERY]
//
// With BAD_EVERY, e.g. 1000, one record of so many is unfit and becomes a dead letter.

#include "actors/consumer.hpp"
#include "actors/inbox_writer.hpp"
#include "actors/kafka/admin.hpp"
#include "actors/kafka/producer.hpp"
#include "messages/error.hpp"
#include "messages/registration.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <stdexcept>

namespace notify {
namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr int32_t partitions = 4;

struct options {
  std::string brokers;
  uint64_t records = 500'000;
  size_t writers = 2;
  size_t value_bytes = 500;
  uint64_t bad_every = 0; ///< 0: none is bad.
};

/// Tells when everything has gone through it.
class null_store : public ingest_store {
public:
  explicit null_store(uint64_t expected) : expected_(expected) {}

  caf::expected<ingest_report> store(const ingest_batch& batch) override {
    if (!batch.events.empty() && !started_.exchange(true))
      begin_ = clock_type::now();
    events_ += batch.events.size() + batch.dead_letters.size();
    letters_ += batch.dead_letters.size();
    ++batches_;
    if (events_ >= expected_ && !finished_.exchange(true))
      done_.set_value(clock_type::now());
    return ingest_report{batch.events.size(), 0, batch.jobs.size(), batch.dead_letters.size()};
  }

  double wait() {
    auto end = done_.get_future().get();
    return std::chrono::duration<double>(end - begin_).count();
  }

  uint64_t batches() const { return batches_; }
  uint64_t letters() const { return letters_; }

private:
  uint64_t expected_;
  std::atomic<uint64_t> events_ = 0; ///< Dead letters included.
  std::atomic<uint64_t> letters_ = 0;
  std::atomic<uint64_t> batches_ = 0;
  std::atomic<bool> started_ = false;
  std::atomic<bool> finished_ = false;
  clock_type::time_point begin_;
  std::promise<clock_type::time_point> done_;
};

void require(const caf::error& err) {
  if (err)
    throw std::runtime_error(render(err));
}

template <class T>
T require(caf::expected<T> x) {
  if (!x)
    throw std::runtime_error(render(x.error()));
  return std::move(*x);
}

std::string make_value(size_t bytes) {
  std::string result = R"({"event_id":")" + to_string(uuid::random())
                       + R"(","event_type":"order.paid.v1","occurred_at":"2026-09-01T16:00:00Z",)"
                       + R"("producer":"order-service","aggregate_id":"order-1",)"
                       + R"("payload":{"email":"user@example.com","note":")";
  auto end = std::string{"\"}}"};
  if (result.size() + end.size() < bytes)
    result.append(bytes - result.size() - end.size(), 'x');
  return result + end;
}

void publish(const options& x, const std::string& topic) {
  auto admin = require(kafka::admin::create({x.brokers}, "bench-ingest"));
  require(admin.create_missing({{topic, partitions, {}}}, 30s));
  require(admin.wait_for({topic}, 30s));
  kafka::producer_config config;
  config.brokers = {x.brokers};
  uint64_t acknowledged = 0;
  auto producer =
      require(kafka::producer::create(config, [&](const kafka::delivery_report& report) {
        acknowledged += report.result == kafka::delivery::acknowledged ? 1 : 0;
      }));
  for (uint64_t i = 0; i < x.records; ++i) {
    kafka::outgoing_record record;
    record.topic = topic;
    record.key = {true, std::to_string(i)};
    record.value = {true, make_value(x.value_bytes)};
    if (x.bad_every > 0 && i % x.bad_every == 0)
      record.value.bytes.pop_back(); // As by a producer that truncates.
    require(producer->produce(record));
  }
  require(producer->flush(120s));
  if (acknowledged != x.records)
    throw std::runtime_error("the broker did not take every record");
}

struct system_config : caf::actor_system_config {
  system_config() {
    register_messages(*this);
    set("scheduler.max-threads", 1);
  }
};

void measure(const options& x, const std::string& topic) {
  auto store = std::make_shared<null_store>(x.records);
  auto routes = std::make_shared<const routing_table>(require(routing_table::parse(
      R"({"routes":[{"event_type":"order.paid.v1","channel":"email","recipient":"email",
          "template":"order-paid.v1"}]})")));
  consumer_config config;
  config.brokers = {x.brokers};
  config.topics = {topic};
  config.group = topic;
  config.offset_reset = "earliest";
  system_config system_settings;
  caf::actor_system system{system_settings};
  caf::scoped_actor self{system};
  std::vector<inbox_writer_actor> writers;
  for (size_t i = 0; i < x.writers; ++i)
    writers.push_back(system.spawn<caf::detached>(
        inbox_writer, inbox_writer_config{}, ingest_store_ptr{store}, routes,
        dispatcher_resolver{[] { return job_dispatcher_actor{}; }}));
  auto reader = system.spawn<caf::detached>(consumer, config, kafka_records(config),
                                            writer_resolver{[&] { return writers; }}, tracer{});
  auto cpu = std::clock();
  auto seconds = store->wait();
  auto cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  auto count = static_cast<double>(x.records);
  std::printf(
      "%.0f records/s (%.2f s, %.1f records a batch, %.1f us CPU each, %llu dead letters)\n",
      count / seconds, seconds, count / static_cast<double>(store->batches()),
      cpu_seconds * 1e6 / count, static_cast<unsigned long long>(store->letters()));
  self->send_exit(reader, caf::exit_reason::user_shutdown);
  self->wait_for(reader);
  for (auto& writer : writers)
    self->send_exit(writer, caf::exit_reason::user_shutdown);
  self->wait_for(writers);
}

options parse(int argc, char** argv) {
  if (argc < 2)
    throw std::runtime_error(
        "usage: notify-bench-ingest BROKERS [RECORDS] [WRITERS] [VALUE_BYTES] [BAD_EVERY]");
  options result;
  result.brokers = argv[1];
  if (argc > 2)
    result.records = std::strtoull(argv[2], nullptr, 10);
  if (argc > 3)
    result.writers = std::strtoull(argv[3], nullptr, 10);
  if (argc > 4)
    result.value_bytes = std::strtoull(argv[4], nullptr, 10);
  if (argc > 5)
    result.bad_every = std::strtoull(argv[5], nullptr, 10);
  return result;
}

} // namespace
} // namespace notify

int main(int argc, char** argv) {
  try {
    auto options = notify::parse(argc, argv);
    auto topic = "bench-ingest-" + to_string(notify::uuid::random());
    notify::publish(options, topic);
    notify::measure(options, topic);
    return 0;
  } catch (const std::exception& x) {
    std::fprintf(stderr, "%s\n", x.what());
    return 1;
  }
}
