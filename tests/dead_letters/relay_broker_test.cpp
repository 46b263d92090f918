#include "actors/kafka/dev_broker.hpp"
#include "tests/dead_letters/fakes.hpp"
#include "tests/dead_letters/letter_samples.hpp"
#include "tests/dead_letters/relay_process.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/wait.hpp"

#include <set>

namespace notify {
namespace {

using namespace test;

constexpr int16_t produce_key = 0; ///< Kafka's number of the request.

struct broker_fixture {
  broker_fixture() {
    auto started = kafka::dev_broker::start({{"dlq", 1, {}}});
    REQUIRE(started);
    broker = std::move(*started);
    for (int64_t id = 1; id <= 5; ++id)
      letters->add(sample_letter(id));
  }

  void push(rd_kafka_resp_err_t code, size_t times) {
    broker->push_errors(produce_key, std::vector<rd_kafka_resp_err_t>(times, code));
  }

  bool all_published() {
    return eventually([&] { return letters->unpublished() == 0; });
  }

  /// How often each id is in the topic.
  std::map<std::string, size_t> ids_in_topic(size_t records) {
    std::map<std::string, size_t> result;
    for (const auto& x : read_topic(broker->bootstrap(), "dlq", records))
      ++result[header_of(x.headers, "notify-dlq-id")];
    return result;
  }

  std::shared_ptr<memory_letters> letters = std::make_shared<memory_letters>();
  std::unique_ptr<kafka::dev_broker> broker;
};

const std::map<std::string, size_t> each_once{{"1", 1}, {"2", 1}, {"3", 1}, {"4", 1}, {"5", 1}};

TEST_CASE_METHOD(broker_fixture, "dead letters come out of their topic as they went in") {
  relay_process relay{letters, broker->bootstrap(), quick_relay("dlq")};
  REQUIRE(all_published());
  auto records = read_topic(broker->bootstrap(), "dlq", 5);
  REQUIRE(records.size() == 5);
  auto original = sample_letter(1).record;
  for (const auto& x : records) {
    CHECK(x.key == original.key);
    CHECK(x.value == original.value);
    REQUIRE(x.headers.size() > 3);
    CHECK(std::vector(x.headers.begin(), x.headers.begin() + 3) == original.headers);
  }
}

TEST_CASE_METHOD(broker_fixture, "K-16: the relay outlives a producer that turned fatal") {
  push(RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, 1);
  relay_process relay{letters, broker->bootstrap(), quick_relay("dlq")};
  REQUIRE(all_published());
  CHECK(relay.status().counters["producers_replaced"] >= 1);
  for (const auto& [id, count] : ids_in_topic(5)) {
    INFO(id);
    CHECK(each_once.contains(id));
    CHECK(count >= 1);
  }
}

TEST_CASE_METHOD(broker_fixture, "K-5: a broker that refuses one record's size gets a stub") {
  push(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, 1);
  relay_process relay{letters, broker->bootstrap(), quick_relay("dlq")};
  REQUIRE(all_published());
  CHECK(relay.status().counters["stubs"] == 1);
  CHECK(ids_in_topic(5) == each_once);
}

TEST_CASE_METHOD(broker_fixture,
                 "K-5: a topic that refuses us keeps the letters, then takes them") {
  push(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, 5);
  relay_process relay{letters, broker->bootstrap(), quick_relay("dlq")};
  REQUIRE(all_published());
  CHECK(relay.status().counters["failures"] >= 1);
  CHECK(ids_in_topic(5) == each_once);
}

TEST_CASE_METHOD(broker_fixture, "K-5: a broker that is down keeps the letters, then takes them") {
  broker->set_down(true);
  auto config = quick_relay("dlq");
  config.timing.message_timeout = std::chrono::milliseconds{500};
  relay_process relay{letters, broker->bootstrap(), config};
  REQUIRE(eventually([&] { return relay.status().counters["failures"] > 0; }));
  CHECK(letters->unpublished() == 5);
  broker->set_down(false);
  REQUIRE(all_published());
  CHECK(ids_in_topic(5) == each_once);
}

TEST_CASE_METHOD(broker_fixture, "K-27: with database and broker away at once nothing is lost") {
  broker->set_down(true);
  letters->set(letters->available, false);
  auto config = quick_relay("dlq");
  config.timing.message_timeout = std::chrono::milliseconds{500};
  relay_process relay{letters, broker->bootstrap(), config};
  REQUIRE(eventually([&] { return relay.status().state == "waiting for storage"; }));
  letters->set(letters->available, true);
  REQUIRE(eventually([&] { return relay.status().counters["failures"] > 0; }));
  CHECK(letters->unpublished() == 5);
  broker->set_down(false);
  REQUIRE(all_published());
  CHECK(ids_in_topic(5) == each_once);
}

} // namespace
} // namespace notify
