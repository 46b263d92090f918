#include "tests/integration/ingest/group_fixture.hpp"
#include "tests/integration/ingest/guest.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::environment;
using test::eventually;
using test::group_fixture;
using test::group_member;
using test::guest;

struct kafka_fixture : group_fixture {
  kafka_fixture() : group_fixture(environment("NOTIFY_TEST_KAFKA")) {}

  /// What is committed was stored before, for every partition.
  void check_invariant() {
    auto promised = committed();
    auto stored = store->next(); // Read later: it may only be further.
    for (const auto& [partition, offset] : promised)
      CHECK(offset <= stored[partition]);
  }

  /// Waits until this many events are stored, with a look at the offsets all the time.
  bool stores(size_t events) {
    return eventually([&] {
      check_invariant();
      return store->events() == events;
    });
  }
};

TEST_CASE_METHOD(kafka_fixture, "ten thousand records are stored once and committed") {
  produce(0, 10'000);
  group_member member{*this};
  REQUIRE(stores(10'000));
  CHECK(store->jobs() == 10'000);
  CHECK(store->gaps() == 0);
  CHECK(eventually([&] { return committed_records() == 10'000; }));
  auto now = member.status();
  CHECK(now.counters["records"] == 10'000);
  CHECK(now.counters["duplicates"] == 0);
  CHECK(now.counters["commit_errors"] == 0);
  CHECK(eventually([&] { return member.status().counters["at_end"] == 4; }));
}

TEST_CASE_METHOD(kafka_fixture, "shutdown commits everything that was stored") {
  auto slow = config();
  slow.commit_interval = 1h;
  produce(0, 500);
  group_member member{*this, slow};
  REQUIRE(eventually([&] { return store->events() == 500; }));
  member.stop();
  CHECK(committed_records() == 500);
}

TEST_CASE_METHOD(kafka_fixture, "members that come and go lose nothing and double nothing") {
  group_member first{*this};
  REQUIRE(first.owns(4));
  produce(0, 3000);
  {
    group_member second{*this};
    REQUIRE(second.owns(2));
    REQUIRE(first.owns(2));
    produce(3000, 3000);
    REQUIRE(stores(6000));
    produce(6000, 2000);
  }
  REQUIRE(first.owns(4));
  produce(8000, 2000);
  REQUIRE(stores(10'000));
  CHECK(store->jobs() == 10'000);
  CHECK(store->gaps() == 0);
  CHECK(eventually([&] { return committed_records() == 10'000; }));
}

TEST_CASE_METHOD(kafka_fixture, "partitions that were paused over a rebalance all move again") {
  group_member member{*this};
  REQUIRE(member.owns(4));
  store->available = false;
  produce(0, 1000);
  REQUIRE(member.reaches("paused"));
  {
    guest other{config()};
    REQUIRE(other.is_assigned());
    REQUIRE(member.owns(2));
    REQUIRE(other.leave());
  }
  REQUIRE(member.owns(4));
  CHECK(member.status().state == "paused");
  CHECK(committed().empty());
  store->available = true;
  REQUIRE(stores(1000));
  produce(1000, 1000);
  REQUIRE(stores(2000));
  CHECK(store->gaps() == 0);
  CHECK(eventually([&] { return committed_records() == 2000; }));
  CHECK(member.status().state == "assigned");
}

TEST_CASE_METHOD(kafka_fixture, "a buffer that is full all the time leaves no gap") {
  auto tight = config();
  tight.batch_records = 50;
  tight.buffer_records = 100;
  produce(0, 5000);
  group_member member{*this, tight};
  REQUIRE(stores(5000));
  CHECK(store->gaps() == 0);
  CHECK(member.status().counters["duplicates"] == 0);
}

TEST_CASE_METHOD(kafka_fixture, "a long outage of storage costs no membership") {
  auto quick = config();
  quick.max_poll_interval = 6s;
  group_member member{*this, quick};
  REQUIRE(member.owns(4));
  auto rebalances = member.status().counters["rebalances"];
  store->available = false;
  produce(0, 100);
  REQUIRE(member.reaches("paused"));
  auto end = std::chrono::steady_clock::now() + 2 * quick.max_poll_interval;
  REQUIRE(eventually([&] { return std::chrono::steady_clock::now() > end; }));
  CHECK(member.status().state == "paused");
  store->available = true;
  REQUIRE(stores(100));
  CHECK(member.status().counters["rebalances"] == rebalances);
}

TEST_CASE_METHOD(kafka_fixture, "a group without offsets waits for a decision") {
  auto careful = config();
  careful.offset_reset = "error";
  produce(0, 100);
  group_member member{*this, careful};
  REQUIRE(member.reaches("stalled"));
  CHECK(member.status().last_error.find(topic) != std::string::npos);
  CHECK(store->events() == 0);
  CHECK(committed().empty());
}

TEST_CASE_METHOD(kafka_fixture, "a member is stopped by another one under its instance id") {
  auto named = config();
  named.instance_id = "instance-1";
  group_member first{*this, named};
  REQUIRE(first.owns(4));
  group_member second{*this, named};
  CHECK(first.wait_for_end() == ec::kafka_fatal);
  CHECK(second.owns(4));
}

/// Nobody waits for as long as this session.
consumer_config with_long_session(const kafka_fixture& group) {
  auto result = group.config();
  result.session_timeout = result.max_poll_interval = 20min;
  return result;
}

TEST_CASE_METHOD(kafka_fixture, "a member leaves its partitions to the others when it is stopped") {
  auto config = with_long_session(*this);
  group_member staying{*this, config};
  REQUIRE(staying.owns(4));
  {
    group_member stopped{*this, config};
    REQUIRE(stopped.owns(2));
    stopped.stop();
    REQUIRE(staying.owns(4));
  }
  for (const auto& x : {config, test::with_life(config)}) {
    guest destroyed{x};
    REQUIRE(destroyed.is_assigned());
    REQUIRE(staying.owns(2));
  }
  CHECK(staying.owns(4));
}

TEST_CASE_METHOD(kafka_fixture, "a member with an instance id keeps its place while it restarts") {
  auto config = with_long_session(*this);
  group_member other{*this, config};
  REQUIRE(other.owns(4));
  config.instance_id = "instance-1";
  {
    group_member named{*this, config};
    REQUIRE(named.owns(2));
    REQUIRE(other.owns(2));
    named.stop();
  }
  auto rebalances = other.status().counters["rebalances"];
  group_member again{*this, config};
  REQUIRE(again.owns(2));
  CHECK(other.status().counters["rebalances"] == rebalances);
}

TEST_CASE_METHOD(kafka_fixture, "a record arrives byte by byte") {
  kafka::outgoing_record x;
  x.key = {true, std::string{"k\0", 2}};
  x.headers = {{"same", {true, "1"}}, {"same", {}}, {"", {true, std::string{"\xff\0", 2}}}};
  x.timestamp_ms = 1'788'278'400'000;
  auto value = GENERATE(nullable_bytes{}, nullable_bytes{true, ""},
                        nullable_bytes{true, std::string{"a\0b", 3}});
  x.value = value;
  produce(x);
  guest reader{config()};
  kafka_record read;
  REQUIRE(eventually([&] {
    auto event = reader->poll(10ms);
    if (auto* record = std::get_if<kafka_record>(&event))
      read = std::move(*record);
    return !read.topic.empty();
  }));
  CHECK(read.topic == topic);
  CHECK(read.offset == 0);
  CHECK(read.timestamp_ms == x.timestamp_ms);
  CHECK(read.key == x.key);
  CHECK(read.value == value);
  CHECK(read.headers == x.headers);
  CHECK(reader.leave());
}

} // namespace
} // namespace notify
