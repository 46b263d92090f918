#include "actors/kafka/dev_broker.hpp"

#include "actors/kafka/producer.hpp"
#include "messages/error.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

namespace notify::kafka {
namespace {

using namespace std::chrono_literals;

constexpr int16_t produce_request = 0;
constexpr int16_t init_producer_id_request = 22;

struct dev_broker_fixture {
  dev_broker_fixture() {
    auto started = dev_broker::start({{"events", 2, {}}});
    REQUIRE(started);
    broker = std::move(*started);
    config.brokers = {broker->bootstrap()};
  }

  std::unique_ptr<producer> make_producer() {
    auto made = producer::create(config, [this](const auto& report) { reports.push_back(report); });
    REQUIRE(made);
    return std::move(*made);
  }

  static outgoing_record make_record(uint64_t token = 0) {
    outgoing_record x;
    x.topic = "events";
    x.value = {true, "hello"};
    x.token = token;
    return x;
  }

  std::unique_ptr<dev_broker> broker;
  producer_config config;
  std::vector<delivery_report> reports;
};

TEST_CASE_METHOD(dev_broker_fixture, "the development broker keeps what is produced") {
  auto sender = make_producer();
  REQUIRE(sender->produce(make_record()) == caf::none);
  REQUIRE(sender->flush(30s) == caf::none);
  auto records = test::read_topic(broker->bootstrap(), "events", 1);
  REQUIRE(records.size() == 1u);
  CHECK(records[0].value == nullable_bytes{true, "hello"});
}

TEST_CASE_METHOD(dev_broker_fixture, "the producer waits for a broker that is down") {
  auto sender = make_producer();
  broker->set_down(true);
  REQUIRE(sender->produce(make_record()) == caf::none);
  CHECK(sender->flush(300ms) == ec::kafka_unavailable);
  CHECK(sender->pending() == 1u);
  CHECK(reports.empty());
  broker->set_down(false);
  REQUIRE(sender->flush(30s) == caf::none);
  REQUIRE(reports.size() == 1u);
  CHECK(reports[0].result == delivery::acknowledged);
}

TEST_CASE_METHOD(dev_broker_fixture, "a record that no broker took is reported as not written") {
  config.message_timeout = 500ms;
  auto sender = make_producer();
  broker->set_down(true);
  REQUIRE(sender->produce(make_record(5)) == caf::none);
  REQUIRE(sender->flush(30s) == caf::none);
  REQUIRE(reports.size() == 1u);
  CHECK(reports[0].token == 5u);
  CHECK(reports[0].result == delivery::not_written);
  CHECK_FALSE(reports[0].reason.empty());
}

TEST_CASE_METHOD(dev_broker_fixture, "too few replicas are retried without the caller's help") {
  auto sender = make_producer();
  broker->push_errors(produce_request, {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                                        RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS});
  REQUIRE(sender->produce(make_record()) == caf::none);
  REQUIRE(sender->flush(30s) == caf::none);
  REQUIRE(reports.size() == 1u);
  CHECK(reports[0].result == delivery::acknowledged);
}

TEST_CASE_METHOD(dev_broker_fixture,
                 "a queue that stays full gives an outage, not an endless wait") {
  config.queue_timeout = 200ms;
  config.more["queue.buffering.max.messages"] = "3";
  auto sender = make_producer();
  broker->set_down(true);
  for (int i = 0; i < 3; ++i)
    REQUIRE(sender->produce(make_record()) == caf::none);
  CHECK(sender->produce(make_record()) == ec::kafka_unavailable);
  CHECK(sender->pending() == 3u);
}

TEST_CASE_METHOD(dev_broker_fixture, "a fatal error ends the producer for good") {
  broker->push_errors(init_producer_id_request, {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED});
  auto sender = make_producer();
  CHECK(sender->fatal() == caf::none);
  REQUIRE(sender->produce(make_record(1)) == caf::none);
  REQUIRE(test::eventually([&] {
    sender->poll(100ms);
    return sender->fatal() != caf::none;
  }));
  CHECK(sender->fatal() == ec::kafka_fatal);
  CHECK(sender->produce(make_record(2)) == ec::kafka_fatal);
  REQUIRE(sender->flush(30s) == caf::none);
  REQUIRE(reports.size() == 1u);
  CHECK(reports[0].token == 1u);
  CHECK(reports[0].result != delivery::acknowledged);
}

TEST_CASE_METHOD(dev_broker_fixture, "a topic can be added while the development broker runs") {
  CHECK(broker->create_topic("more", 3) == caf::none);
  auto client = admin::create({broker->bootstrap()}, "test");
  REQUIRE(client);
  CHECK(client->wait_for({"events", "more"}, 30s) == caf::none);
}

} // namespace
} // namespace notify::kafka
