#include "actors/kafka/dev_broker.hpp"
#include "tests/integration/ingest/group_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

// Faults that a real broker does not give on demand, on librdkafka's own mock.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::group_fixture;
using test::group_member;

constexpr int16_t offset_commit_api = 8;
constexpr int16_t offset_fetch_api = 9;

struct mock_fixture {
  mock_fixture() {
    auto made = kafka::dev_broker::start({});
    REQUIRE(made);
    broker = std::move(*made);
    group = std::make_unique<group_fixture>(broker->bootstrap(), 1, false);
    REQUIRE(broker->create_topic(group->topic, 1) == caf::none);
  }

  std::unique_ptr<kafka::dev_broker> broker;
  std::unique_ptr<group_fixture> group;
};

TEST_CASE_METHOD(mock_fixture, "a broker that does not answer cannot hold up the end") {
  auto config = group->config();
  config.close_timeout = 2s;
  group->produce(0, 10);
  group_member member{*group, config};
  REQUIRE(eventually([&] { return group->store->events() == 10; }));
  broker->set_round_trip(300s);
  // Ending the client has a limit of its own on top.
  CHECK(member.stop() < config.close_timeout + 3s);
}

TEST_CASE_METHOD(mock_fixture, "a commit that fails is made up for") {
  auto error =
      GENERATE(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT);
  broker->push_errors(offset_commit_api, {error});
  group->produce(0, 10);
  group_member member{*group};
  CHECK(eventually([&] { return member.status().counters["commits"] > 0; }));
}

TEST_CASE_METHOD(mock_fixture, "a member that the group forgot joins again and loses nothing") {
  group_member member{*group};
  REQUIRE(member.owns(1));
  broker->push_errors(offset_commit_api, {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION});
  group->produce(0, 10);
  CHECK(eventually([&] { return member.status().counters["rebalances"] == 2; }));
  group->produce(10, 10);
  CHECK(eventually([&] { return group->store->events() == 20; }));
  CHECK(group->store->jobs() == 20);
  CHECK(eventually([&] { return member.status().counters["commits"] > 0; }));
}

TEST_CASE_METHOD(mock_fixture, "a broker that comes back finds the member at work again") {
  group_member member{*group};
  REQUIRE(member.owns(1));
  broker->set_down(true);
  CHECK(eventually([&] { return !member.status().last_error.empty(); }));
  broker->set_down(false);
  group->produce(0, 10);
  CHECK(eventually([&] { return group->store->events() == 10; }));
}

TEST_CASE_METHOD(mock_fixture,
                 "a new partition that nobody could tell for one is asked for again") {
  auto config = group->config();
  config.offset_reset = "error";
  config.first_start = "earliest";
  group->produce(0, 10);
  // Only the question before the assignment; the one that comes with it is answered: no offset.
  broker->push_errors(offset_fetch_api, {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED});
  group_member member{*group, config};
  CHECK(eventually([&] { return group->store->events() == 10; }));
  CHECK(member.status().counters["rebalances"] == 2);
  CHECK(member.status().counters["stalled"] == 0);
}

} // namespace
} // namespace notify
