#include "tests/integration/pipeline_fixture.hpp"
#include "messages/registration.hpp"

#include "actors/kafka/admin.hpp"
#include "messages/error.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/wait.hpp"

#include <caf/atom.hpp>

#include <catch2/catch.hpp>

namespace notify::test {

using namespace std::chrono_literals;

pipeline_fixture::pipeline_fixture(int32_t partitions)
    : pipeline_fixture(environment("NOTIFY_TEST_KAFKA"), environment("NOTIFY_TEST_POSTGRES"),
                       partitions) {}

pipeline_fixture::pipeline_fixture(std::string brokers, const std::string& postgres,
                                   int32_t partitions)
    : db(postgres), brokers_(std::move(brokers)) {
  auto id = to_string(uuid::random());
  topic = "events-" + id;
  group = "group-" + id;
  auto client = kafka::admin::create({brokers_}, "test");
  REQUIRE(client);
  auto created = client->create_missing({{topic, partitions, {}}}, 30s);
  REQUIRE(created);
  REQUIRE_FALSE(client->wait_for({topic}, 30s));
}

service_config pipeline_fixture::config() const {
  service_config x;
  x.instance = "test";
  x.postgres = db.config();
  x.kafka.brokers = {brokers_};
  x.kafka.topics = {topic};
  x.kafka.group = group;
  x.kafka.offset_reset = "earliest";
  x.kafka.session_timeout = 6s;
  x.kafka.commit_interval = 100ms;
  x.delivery.poll_interval = 200ms;
  x.channels["email"].provider = "log";
  x.channels["email"].slots = 8;
  x.channels["email"].prefetch = 8;
  x.routes_file = NOTIFY_SOURCE_DIR "/tools/config/routes.json";
  x.templates_folder = NOTIFY_SOURCE_DIR "/tools/config/templates";
  return x;
}

std::vector<std::string> pipeline_fixture::arguments(const std::string& instance) const {
  return {"run",
          "--service.instance=" + instance,
          "--service.routes-file=" NOTIFY_SOURCE_DIR "/tools/config/routes.json",
          "--service.templates-folder=" NOTIFY_SOURCE_DIR "/tools/config/templates",
          "--postgres.url=" + db.url(),
          "--postgres.application-name=" + instance,
          "--kafka.brokers=[\"" + brokers_ + "\"]",
          "--kafka.topics=[\"" + topic + "\"]",
          "--kafka.group=" + group,
          "--kafka.offset-reset=earliest",
          "--kafka.session-timeout=6s",
          "--delivery.poll-interval=200ms",
          "--channel-email.provider=log",
          "--http.port=0",
          "--logging.format=json"};
}

void pipeline_fixture::publish(const std::vector<kafka::outgoing_record>& records) {
  size_t acknowledged = 0;
  kafka::producer_config settings;
  settings.brokers = {brokers_};
  auto producer = kafka::producer::create(settings, [&](const kafka::delivery_report& x) {
    acknowledged += x.result == kafka::delivery::acknowledged ? 1 : 0;
  });
  REQUIRE(producer);
  for (auto record : records) {
    record.topic = topic;
    auto err = (*producer)->produce(record);
    REQUIRE_FALSE(err);
  }
  auto err = (*producer)->flush(60s);
  REQUIRE_FALSE(err);
  REQUIRE(acknowledged == records.size());
}

kafka::outgoing_record pipeline_fixture::event(const sample::choices& choices) {
  return sample::make_event(choices);
}

std::vector<kafka::outgoing_record> pipeline_fixture::events(size_t count) {
  std::vector<kafka::outgoing_record> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(event());
  return result;
}

void pipeline_fixture::require_value(const std::string& sql, const std::string& wanted) {
  eventually([&] { return db.value(sql) == wanted; });
  INFO(sql);
  REQUIRE(db.value(sql) == wanted);
}

int64_t pipeline_fixture::committed_records() {
  auto client = kafka::admin::create({brokers_}, "test");
  REQUIRE(client);
  auto offsets = client->committed(group, 30s);
  REQUIRE(offsets);
  int64_t sum = 0;
  for (const auto& x : *offsets)
    sum += x.offset;
  return sum;
}

running_pipeline::system_config::system_config() {
  register_messages(*this);
  set("scheduler.max-threads", 2);
}

running_pipeline::running_pipeline(const service_config& config) {
  auto started = service::start(system_, config);
  INFO(render(started ? caf::error{} : started.error()));
  REQUIRE(started);
  service_ = std::move(*started);
}

running_pipeline::~running_pipeline() {
  service_->stop();
  // The actor system's destructor waits for every actor, and service's waits for the tree.
  service_.reset();
}

} // namespace notify::test
