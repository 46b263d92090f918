#include "actors/kafka/consumer_conf.hpp"

#include "actors/kafka/conf.hpp"
#include "actors/kafka/consumer_handle.hpp"
#include "actors/kafka/record_reader.hpp"
#include "messages/error.hpp"

#include <catch2/catch.hpp>

#include <array>

namespace notify::kafka {
namespace {

consumer_config with_property(const std::string& name, const std::string& value) {
  consumer_config config;
  config.properties[name] = value;
  return config;
}

std::string refusal(const consumer_config& config) {
  auto handle = consumer_handle::create(config);
  if (handle)
    return "accepted";
  CHECK(handle.error() == ec::invalid_config);
  return render(handle.error());
}

bool mentions(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("offsets are never committed or stored by the client itself") {
  auto values = consumer_properties({});
  REQUIRE(values);
  CHECK(values->at("enable.auto.commit") == "false");
  CHECK(values->at("enable.auto.offset.store") == "false");
  CHECK(values->at("auto.offset.reset") == "error");
  for (auto name : {"enable.auto.commit", "auto.commit.enable", "enable.auto.offset.store"})
    CHECK(mentions(refusal(with_property(name, "true")), name));
}

TEST_CASE("K-14: cooperative assignors are refused with the reason") {
  auto text = refusal(with_property("partition.assignment.strategy", "range,cooperative-sticky"));
  CHECK(mentions(text, "partition.assignment.strategy"));
  CHECK(mentions(text, "cooperative"));
  CHECK(mentions(text, "use range or roundrobin"));
  CHECK(refusal(with_property("partition.assignment.strategy", "roundrobin")) == "accepted");
}

TEST_CASE("a property with an option of its own is refused with that option's name") {
  CHECK(mentions(refusal(with_property("group.id", "x")), "kafka.group"));
  CHECK(mentions(refusal(with_property("bootstrap.servers", "x")), "kafka.brokers"));
  CHECK(mentions(refusal(with_property("auto.offset.reset", "latest")), "kafka.offset-reset"));
}

TEST_CASE("unknown properties and wrong values are refused with their names") {
  CHECK(mentions(refusal(with_property("fetch.wait.max.msec", "1")), "fetch.wait.max.msec"));
  CHECK(mentions(refusal(with_property("fetch.wait.max.ms", "soon")), "fetch.wait.max.ms"));
  CHECK(refusal(with_property("fetch.wait.max.ms", "10")) == "accepted");
}

TEST_CASE("options that do not fit together are refused") {
  auto change = [](auto edit) {
    consumer_config config;
    edit(config);
    return refusal(config);
  };
  CHECK(mentions(change([](auto& x) { x.brokers.clear(); }), "kafka.brokers"));
  CHECK(mentions(change([](auto& x) { x.topics = {""}; }), "kafka.topics"));
  CHECK(mentions(change([](auto& x) { x.group.clear(); }), "kafka.group"));
  CHECK(mentions(change([](auto& x) { x.offset_reset = "smallest"; }), "smallest"));
  CHECK(mentions(change([](auto& x) { x.first_start = "newest"; }), "kafka.first-start"));
  CHECK(mentions(change([](auto& x) { x.max_poll_interval = x.session_timeout / 2; }),
                 "kafka.max-poll-interval"));
  CHECK(mentions(change([](auto& x) { x.buffer_records = 10; }), "kafka.buffer-records"));
  CHECK(change([](auto& x) { x.instance_id = "notifyd-1"; }) == "accepted");
  for (const auto& id : {std::string{"two words"}, std::string{".."}, std::string(250, 'x')})
    CHECK(mentions(change([&](auto& x) { x.instance_id = id; }), "kafka.instance-id"));
  CHECK(change([](auto& x) { x.instance_id.assign(249, 'x'); }) == "accepted");
}

TEST_CASE("a member bears its own instance id, or else the name of its process's life") {
  consumer_config config;
  auto name = [&] {
    auto values = consumer_properties(config);
    REQUIRE(values);
    return values->contains("group.instance.id") ? values->at("group.instance.id") : "";
  };
  CHECK(name().empty());
  config.life = "life";
  CHECK(name() == "life");
  config.instance_id = "instance";
  CHECK(name() == "instance");
}

TEST_CASE("a commit's result is told apart by what it calls for") {
  CHECK(classify_commit(RD_KAFKA_RESP_ERR_NO_ERROR) == commit_verdict::committed);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR__NO_OFFSET) == commit_verdict::nothing);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS) == commit_verdict::retry);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR__WAIT_COORD) == commit_verdict::retry);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR__TRANSPORT) == commit_verdict::retry);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR__TIMED_OUT) == commit_verdict::retry);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR_NOT_COORDINATOR) == commit_verdict::retry);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION) == commit_verdict::lost);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID) == commit_verdict::lost);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST) == commit_verdict::lost);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) == commit_verdict::denied);
  CHECK(classify_commit(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) == commit_verdict::denied);
}

std::string value_of(const properties& values, const char* name) {
  auto conf = make_conf(values);
  REQUIRE(conf);
  std::array<char, 64> text{};
  auto size = text.size();
  REQUIRE(rd_kafka_conf_get(conf->get(), name, text.data(), &size) == RD_KAFKA_CONF_OK);
  return text.data();
}

TEST_CASE("every client connects again soon after an outage, unless an operator says otherwise") {
  CHECK(value_of({}, "reconnect.backoff.max.ms") == "2000");
  CHECK(value_of({{"reconnect.backoff.max.ms", "500"}}, "reconnect.backoff.max.ms") == "500");
}

TEST_CASE("lag is read from the statistics, unknown values left out") {
  auto lag = read_lag(R"({"topics":{"orders":{"topic":"orders","partitions":{
    "0":{"partition":0,"consumer_lag_stored":12,"consumer_lag":20},
    "1":{"partition":1,"consumer_lag_stored":-1},
    "-1":{"partition":-1,"consumer_lag_stored":5}}}}})");
  CHECK(lag == std::map<topic_partition, int64_t>{{{"orders", 0}, 12}});
  CHECK(read_lag("{}").empty());
  CHECK(read_lag("not json").empty());
  CHECK(read_lag(R"({"topics":[1]})").empty());
}

} // namespace
} // namespace notify::kafka
