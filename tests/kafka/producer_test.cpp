#include "actors/kafka/producer.hpp"

#include "actors/kafka/admin.hpp"
#include "messages/error.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/environment.hpp"

#include <algorithm>
#include <map>

namespace notify::kafka {
namespace {

using namespace std::chrono_literals;
using test::environment;

std::string make_topic(int32_t partitions, const properties& config = {}) {
  auto client = admin::create({environment("NOTIFY_TEST_KAFKA")}, "test");
  REQUIRE(client);
  auto name = test::unique_name("producer-test");
  REQUIRE(client->create_missing({{name, partitions, config}}, 30s));
  REQUIRE(client->wait_for({name}, 30s) == caf::none);
  return name;
}

struct producer_fixture {
  producer_fixture() {
    config.brokers = {environment("NOTIFY_TEST_KAFKA")};
    config.client_id = "producer-test";
  }

  /// Starts `sender`; later reports end up in `reports`, by token.
  void start() {
    auto made = producer::create(
        config, [this](const delivery_report& x) { CHECK(reports.emplace(x.token, x).second); });
    REQUIRE(made);
    sender = std::move(*made);
  }

  producer_config config;
  std::map<uint64_t, delivery_report> reports;
  std::unique_ptr<producer> sender;
};

/// Number 0 has no value, 1 an empty one, 2 no key; all have headers, some with odd values.
outgoing_record make_record(const std::string& topic, uint64_t number) {
  outgoing_record x;
  x.topic = topic;
  x.token = number;
  x.key = {number != 2, number != 2 ? "order-" + std::to_string(number % 10) : ""};
  x.value = {number != 0, number > 1 ? "value-" + std::to_string(number) : ""};
  x.headers = {{"number", {true, std::to_string(number)}},
               {"binary", {true, std::string{"\0\xff", 2}}},
               {"same", {true, ""}},
               {"same", {}}};
  x.timestamp_ms = 1'700'000'000'000 + static_cast<int64_t>(number);
  return x;
}

TEST_CASE_METHOD(producer_fixture, "a produced record arrives byte by byte") {
  constexpr size_t count = 1000;
  auto topic = make_topic(4, {{"message.timestamp.type", "CreateTime"}});
  start();
  for (uint64_t i = 0; i < count; ++i)
    REQUIRE(sender->produce(make_record(topic, i)) == caf::none);
  REQUIRE(sender->flush(60s) == caf::none);
  CHECK(sender->pending() == 0u);
  REQUIRE(reports.size() == count);
  auto records = test::read_topic(config.brokers.front(), topic, count);
  REQUIRE(records.size() == count);
  std::map<std::string, int32_t> partition_of_key;
  for (const auto& got : records) {
    auto number = std::stoull(got.headers.at(0).value.bytes);
    auto sent = make_record(topic, number);
    CHECK(got.key == sent.key);
    CHECK(got.value == sent.value);
    CHECK(got.headers == sent.headers);
    CHECK(got.timestamp_ms == sent.timestamp_ms);
    const auto& report = reports.at(number);
    CHECK(report.result == delivery::acknowledged);
    CHECK(report.partition == got.partition);
    CHECK(report.offset == got.offset);
    if (got.key.present)
      CHECK(partition_of_key.emplace(got.key.bytes, got.partition).first->second == got.partition);
  }
}

TEST_CASE_METHOD(producer_fixture, "records of one key keep their order") {
  auto topic = make_topic(1);
  start();
  for (uint64_t i = 0; i < 500; ++i)
    REQUIRE(sender->produce(make_record(topic, i)) == caf::none);
  REQUIRE(sender->flush(60s) == caf::none);
  for (uint64_t i = 0; i < 500; ++i)
    CHECK(reports.at(i).offset == static_cast<int64_t>(i));
}

TEST_CASE_METHOD(producer_fixture, "a key goes to the partition that a Java producer chooses") {
  auto topic = make_topic(8);
  start();
  // Values of org.apache.kafka.common.utils.UtilsTest: murmur2 of these keys, made positive, mod 8.
  const std::vector<std::pair<std::string, int32_t>> expected = {
      {"21", -973932308}, {"foobar", -790332482}, {"abc", 479470107}};
  for (size_t i = 0; i < expected.size(); ++i) {
    outgoing_record x;
    x.topic = topic;
    x.key = {true, expected[i].first};
    x.token = i;
    REQUIRE(sender->produce(x) == caf::none);
  }
  REQUIRE(sender->flush(60s) == caf::none);
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(reports.at(i).partition == (expected[i].second & 0x7fffffff) % 8);
}

TEST_CASE_METHOD(producer_fixture, "a full queue makes the caller wait instead of failing") {
  auto topic = make_topic(1);
  config.more["queue.buffering.max.messages"] = "10";
  start();
  for (uint64_t i = 0; i < 200; ++i)
    REQUIRE(sender->produce(make_record(topic, i)) == caf::none);
  REQUIRE(sender->flush(60s) == caf::none);
  CHECK(reports.size() == 200u);
}

TEST_CASE_METHOD(producer_fixture, "a record above the size limit is refused at once") {
  auto topic = make_topic(1);
  start();
  auto x = make_record(topic, 3);
  x.value = {true, std::string(config.max_message_bytes + 1, 'x')};
  CHECK(sender->produce(x) == ec::invalid_event);
  CHECK(sender->pending() == 0u);
}

TEST_CASE_METHOD(producer_fixture, "a record above the topic's limit is reported as refused") {
  auto topic = make_topic(1, {{"max.message.bytes", "1000"}});
  config.more["compression.type"] = "none";
  start();
  auto x = make_record(topic, 3);
  x.value = {true, std::string(5000, 'x')};
  REQUIRE(sender->produce(x) == caf::none);
  REQUIRE(sender->flush(60s) == caf::none);
  REQUIRE(reports.size() == 1u);
  CHECK(reports.at(3).result == delivery::refused);
  CHECK_FALSE(reports.at(3).reason.empty());
}

TEST_CASE_METHOD(producer_fixture, "an unknown property is refused by name") {
  config.more["no.such.property"] = "1";
  auto made = producer::create(config, nullptr);
  REQUIRE_FALSE(made);
  CHECK(made.error() == ec::invalid_config);
  CHECK(render(made.error()).find("no.such.property") != std::string::npos);
}

TEST_CASE("creating a topic twice changes nothing") {
  auto client = admin::create({environment("NOTIFY_TEST_KAFKA")}, "test");
  REQUIRE(client);
  auto name = test::unique_name("admin-test");
  auto first = client->create_missing({{name, 3, {}}}, 30s);
  REQUIRE(first);
  CHECK(*first == std::vector{name});
  auto second = client->create_missing({{name, 5, {}}}, 30s);
  REQUIRE(second);
  CHECK(second->empty());
}

TEST_CASE("a topic setting that Kafka does not know is refused with the topic's name") {
  auto client = admin::create({environment("NOTIFY_TEST_KAFKA")}, "test");
  REQUIRE(client);
  auto name = test::unique_name("admin-test");
  auto made = client->create_missing({{name, 1, {{"no.such.setting", "1"}}}}, 30s);
  REQUIRE_FALSE(made);
  CHECK(made.error() == ec::invalid_config);
  CHECK(render(made.error()).find(name) != std::string::npos);
}

TEST_CASE("waiting for a topic that never comes tells its name") {
  auto client = admin::create({environment("NOTIFY_TEST_KAFKA")}, "test");
  REQUIRE(client);
  REQUIRE(client->wait_for({}, 30s) == caf::none);
  auto error = client->wait_for({"never-created"}, 100ms);
  CHECK(error == ec::kafka_unavailable);
  CHECK(render(error).find("never-created") != std::string::npos);
}

TEST_CASE("committed offsets of a group are listed by partition") {
  auto brokers = environment("NOTIFY_TEST_KAFKA");
  auto topic = make_topic(2);
  auto group = test::unique_name("group");
  auto client = admin::create({brokers}, "test");
  REQUIRE(client);
  test::commit_offsets(brokers, group, topic, {7, 11});
  auto offsets = client->committed(group, 30s);
  REQUIRE(offsets);
  REQUIRE(offsets->size() == 2u);
  CHECK(offsets->at(0).topic == topic);
  CHECK(offsets->at(0).offset == 7);
  CHECK(offsets->at(1).partition == 1);
  CHECK(offsets->at(1).offset == 11);
}

} // namespace
} // namespace notify::kafka
