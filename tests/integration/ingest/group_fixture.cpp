#include "tests/integration/ingest/group_fixture.hpp"
#include "messages/registration.hpp"

#include "actors/kafka/admin.hpp"
#include "tests/actors/ingest/sample_records.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/wait.hpp"

#include <caf/send.hpp>

#include <chrono>

namespace notify::test {

using namespace std::chrono_literals;

group_fixture::group_fixture(std::string servers, int32_t partitions, bool create)
    : brokers(std::move(servers)), topic(unique_name("ingest-test")), group(topic) {
  auto client = kafka::admin::create({brokers}, "ingest-test");
  REQUIRE(client);
  if (create) {
    REQUIRE(client->create_missing({{topic, partitions, {}}}, 30s));
    REQUIRE(client->wait_for({topic}, 30s) == caf::none);
  }
  kafka::producer_config values;
  values.brokers = {brokers};
  values.client_id = "ingest-test";
  auto made = kafka::producer::create(values, [this](const kafka::delivery_report& x) {
    acknowledged_ += x.result == kafka::delivery::acknowledged ? 1 : 0;
  });
  REQUIRE(made);
  producer_ = std::move(*made);
}

consumer_config group_fixture::config() const {
  consumer_config result;
  result.brokers = {brokers};
  result.topics = {topic};
  result.group = group;
  result.offset_reset = "earliest";
  result.session_timeout = 6s;
  result.max_poll_interval = 10s;
  result.commit_interval = 100ms;
  result.close_timeout = 5s;
  result.properties = {{"heartbeat.interval.ms", "300"}, {"fetch.wait.max.ms", "20"}};
  return result;
}

void group_fixture::produce(kafka::outgoing_record record) {
  record.topic = topic;
  REQUIRE(producer_->produce(record) == caf::none);
  ++sent_;
  flush();
}

void group_fixture::produce(uint64_t first, uint64_t count) {
  for (auto n = first; n < first + count; ++n) {
    kafka::outgoing_record x;
    x.topic = topic;
    x.key = {true, "order-" + std::to_string(n)};
    x.value = {true, envelope(n)};
    REQUIRE(producer_->produce(x) == caf::none);
    ++sent_;
  }
  flush();
}

void group_fixture::flush() {
  REQUIRE(producer_->flush(60s) == caf::none);
  REQUIRE(acknowledged_ == sent_);
}

std::map<int32_t, int64_t> group_fixture::committed() {
  auto client = kafka::admin::create({brokers}, "ingest-test");
  REQUIRE(client);
  auto offsets = client->committed(group, 30s);
  REQUIRE(offsets);
  std::map<int32_t, int64_t> result;
  for (const auto& x : *offsets)
    result[x.partition] = x.offset;
  return result;
}

int64_t group_fixture::committed_records() {
  int64_t result = 0;
  for (const auto& [partition, offset] : committed())
    result += offset;
  return result;
}

consumer_config with_life(consumer_config config) {
  if (config.life.empty())
    config.life = to_string(uuid::random());
  return config;
}

group_member::system_config::system_config() {
  register_messages(*this);
  set("scheduler.max-threads", 1);
}

group_member::group_member(group_fixture& group, const consumer_config& config)
    : group_member(config, [&group] { return ingest_store_ptr{group.store}; }) {}

group_member::group_member(const consumer_config& config,
                           const std::function<ingest_store_ptr()>& make_store,
                           record_source_factory source) {
  for (int i = 0; i < 2; ++i)
    writers_->push_back(
        system_.spawn<caf::detached>(inbox_writer, inbox_writer_config{}, make_store(), routes(),
                                     dispatcher_resolver{[] { return job_dispatcher_actor{}; }}));
  consumer_ = system_.spawn<caf::detached>(
      consumer, config, source ? source : kafka_records(with_life(config)),
      writer_resolver{[all = writers_] { return *all; }}, tracer{});
  self_->monitor(consumer_);
}

group_member::~group_member() {
  if (!ended_)
    stop();
  for (auto& x : *writers_)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  writers_->clear();
}

actor_status group_member::status() {
  actor_status result;
  self_->request(consumer_, 30s, get_status{})
      .receive([&](actor_status& x) { result = std::move(x); },
               [&](caf::error& err) { FAIL(render(err)); });
  return result;
}

bool group_member::owns(int64_t partitions) {
  return eventually([&] { return status().counters["assigned"] == partitions; });
}

bool group_member::reaches(const std::string& state) {
  return eventually([&] { return status().state == state; });
}

caf::timespan group_member::stop() {
  auto begin = std::chrono::steady_clock::now();
  caf::anon_send_exit(consumer_, caf::exit_reason::user_shutdown);
  wait_for_end();
  return std::chrono::steady_clock::now() - begin;
}

caf::error group_member::wait_for_end() {
  caf::error result;
  self_->receive([&](caf::down_msg& x) { result = std::move(x.reason); });
  ended_ = true;
  return result;
}

} // namespace notify::test
