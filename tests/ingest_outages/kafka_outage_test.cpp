#include "actors/kafka/admin.hpp"
#include "messages/error.hpp"
#include "tests/ingest_outages/kafka_damage.hpp"
#include "tests/ingest_outages/outage_fixture.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/private_server.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <csignal>
#include <cstdio>

// The whole service while Kafka is silent, and when the group's offsets are gone.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("K-10: the batch call that loses messages next to a pause is in none of our programs") {
  auto command = "nm -D --undefined-only " + environment("NOTIFY_TEST_BIN") + "/notifyd";
  auto* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string symbols;
  std::array<char, 4096> block{};
  for (size_t size = 0; (size = fread(block.data(), 1, block.size(), pipe)) > 0;)
    symbols.append(block.data(), size);
  REQUIRE(pclose(pipe) == 0);
  CHECK(symbols.find("rd_kafka_consumer_poll") != std::string::npos);
  CHECK(symbols.find("rd_kafka_consume_batch") == std::string::npos);
}

TEST_CASE("K-14: an assignor that loses assignments next to manual commits is refused at start") {
  pipeline_fixture fixture;
  daemon program{
      "notifyd",
      with(fixture.arguments("one"),
           {"--kafka.properties=[\"partition.assignment.strategy=cooperative-sticky\"]"})};
  CHECK(program.wait() == 2);
  CHECK(count_of(program, "partition.assignment.strategy") > 0);
  CHECK(count_of(program, "use range or roundrobin") > 0);
}

TEST_CASE("K-17: a broker that does not answer cannot hold up the end, in any state") {
  private_kafka broker;
  pipeline_fixture fixture{broker.brokers(), environment("NOTIFY_TEST_POSTGRES"), 2};
  tcp_proxy proxy{port_of(fixture.db.url())};
  auto arguments =
      with(fixture.arguments("one"),
           {"--postgres.url=" + proxy.in_front_of(fixture.db.url()), "--kafka.close-timeout=2s",
            "--delivery.drain-timeout=2s", "--service.shutdown-timeout=15s"});
  auto end_of = [&](daemon& program) {
    program.signal(SIGTERM);
    auto code = program.wait(15s);
    INFO(program.output());
    CHECK(code == 0);
    broker.thaw();
  };
  {
    INFO("member with nothing to do");
    daemon program{"notifyd", arguments};
    REQUIRE(says(program, "partitions assigned"));
    broker.freeze();
    end_of(program);
  }
  {
    INFO("offsets stored and not committed");
    daemon program{"notifyd", with(arguments, {"--kafka.commit-interval=1min"})};
    REQUIRE(says(program, "partitions assigned"));
    fixture.publish(fixture.events(1));
    fixture.require_value(sent_jobs, "1");
    fixture.publish(fixture.events(20));
    fixture.require_value(sent_jobs, "21");
    broker.freeze();
    end_of(program);
  }
  {
    INFO("paused, since the database is away as well");
    daemon program{"notifyd", arguments};
    REQUIRE(says(program, "partitions assigned"));
    proxy.cut();
    fixture.publish(fixture.events(5));
    REQUIRE(says(program, "fetching paused"));
    broker.freeze();
    end_of(program);
    proxy.restore();
  }
  {
    INFO("joining the group");
    broker.freeze();
    daemon program{"notifyd", arguments};
    REQUIRE(says(program, "joining the group"));
    end_of(program);
  }
  // All of this lost nothing.
  daemon heir{"notifyd", arguments};
  fixture.require_value(sent_jobs, "26");
  CHECK(fixture.db.value(all_events) == "26");
}

TEST_CASE("D-E4: a broker that falls silent stops nothing but its own part, and all goes on") {
  private_kafka broker;
  pipeline_fixture fixture{broker.brokers(), environment("NOTIFY_TEST_POSTGRES"), 2};
  fixture.db.query(
      "insert into notify.channel_pauses (channel, paused_by) values ('email', 'test')");
  running_pipeline pipeline{fixture.config()};
  fixture.publish(fixture.events(20));
  fixture.require_value(all_events, "20");
  REQUIRE(eventually([&] { return fixture.committed_records() == 20; }));
  broker.freeze();
  // What is stored is delivered all the same.
  fixture.db.query("delete from notify.channel_pauses");
  fixture.require_value(sent_jobs, "20");
  // The consumer still answers: no call of its waits for the broker. After the session timeout the
  // client gives its partitions up by itself.
  CHECK(eventually([&] {
    auto now = health_of(pipeline);
    return now.live && !reason_of(now, "kafka").empty();
  }));
  CHECK(reason_of(health_of(pipeline), "claims").empty());
  CHECK(actor_of(pipeline, actor_names::consumer).answered);
  broker.thaw();
  fixture.publish(fixture.events(20));
  fixture.require_value(sent_jobs, "40");
  CHECK(eventually([&] { return health_of(pipeline).ready; }));
  CHECK(actor_of(pipeline, actor_names::consumer).restarts == 0);
  CHECK(eventually([&] { return fixture.committed_records() == 40; }));
}

// A broker that comes back still counts on the members that it knew.
TEST_CASE("a member that lost its session in an outage comes back in its own place") {
  private_kafka broker;
  group_fixture named{broker.brokers(), 1};
  group_fixture nameless{broker.brokers(), 1};
  auto config = [](const group_fixture& group) {
    auto result = group.config();
    result.session_timeout = result.max_poll_interval = 15s;
    return result;
  };
  group_member member{named, config(named)};
  auto without_life = config(nameless);
  group_member stranger{without_life, [&] { return nameless.store; }, kafka_records(without_life)};
  REQUIRE(member.owns(1));
  REQUIRE(stranger.owns(1));
  broker.stop();
  REQUIRE(member.reaches("joining"));
  REQUIRE(stranger.reaches("joining"));
  broker.start();
  named.produce(0, 10);
  REQUIRE(eventually([&] { return named.store->events() == 10; }));
  // The broker gives up the one that it knew only after another session timeout.
  CHECK(stranger.status().state == "joining");
  CHECK(stranger.owns(1));
  CHECK(eventually([&] { return named.committed_records() == 10; }));
}

// A commit that waits for the coordinator bears the member id of the moment when it leaves. There
// is none if the session ended meanwhile, and the broker then believes in a second member of our
// name.
TEST_CASE("a commit that comes after its member's session ends no process") {
  private_kafka broker;
  pipeline_fixture fixture{broker.brokers(), environment("NOTIFY_TEST_POSTGRES"), 1};
  tcp_proxy proxy{port_of(fixture.db.url())};
  auto config = fixture.config();
  config.postgres.url = proxy.in_front_of(fixture.db.url());
  config.kafka.session_timeout = config.kafka.max_poll_interval = 15s;
  running_pipeline pipeline{config};
  REQUIRE(eventually([&] { return health_of(pipeline).ready; }));
  proxy.cut();
  fixture.publish(fixture.events(10));
  auto state = [&] { return actor_of(pipeline, actor_names::consumer).status.state; };
  REQUIRE(eventually([&] { return state() == "paused"; }));
  // Storing late in the session is what lets the commit wait for longer than that.
  auto late = std::chrono::steady_clock::now() + config.kafka.session_timeout * 2 / 3;
  broker.stop();
  REQUIRE(eventually([&] { return std::chrono::steady_clock::now() > late; }));
  proxy.restore();
  fixture.require_value(all_events, "10");
  REQUIRE(eventually([&] { return state() == "joining"; }));
  broker.start();
  CHECK(eventually([&] { return actor_of(pipeline, actor_names::consumer).restarts == 1; }));
  fixture.publish(fixture.events(10));
  fixture.require_value(sent_jobs, "20");
  CHECK(eventually([&] { return fixture.committed_records() == 20; }));
  CHECK(eventually([&] { return health_of(pipeline).ready; }));
}

/// A group that has read and committed ten events, and is not running.
struct finished_group : pipeline_fixture {
  finished_group() : pipeline_fixture(1) {
    auto begin = config();
    begin.kafka.offset_reset = "error";
    begin.kafka.first_start = "earliest";
    running_pipeline pipeline{begin};
    publish(events(10));
    require_value(sent_jobs, "10");
    REQUIRE(eventually([&] { return committed_records() == 10; }));
  }

  service_config with_reset(const std::string& rule) const {
    auto result = config();
    result.kafka.offset_reset = rule;
    result.kafka.first_start = "earliest";
    return result;
  }

  /// The service starts, is not ready, says why, and reads nothing.
  void require_stop(const std::string& reason) {
    running_pipeline pipeline{with_reset("error")};
    std::string said;
    REQUIRE(eventually([&] {
      said = reason_of(health_of(pipeline), "kafka");
      return said.find("stalled") != std::string::npos;
    }));
    CAPTURE(said);
    CHECK(said.find(topic + "/0") != std::string::npos);
    CHECK(said.find(reason) != std::string::npos);
    CHECK(health_of(pipeline).live);
    CHECK(db.value(all_events) == "10");
  }

  /// Read from the start again: nobody is told anything twice.
  void require_no_second_sending(size_t events_in_all) {
    running_pipeline pipeline{with_reset("earliest")};
    require_value(sent_jobs, std::to_string(events_in_all));
    auto end = static_cast<int64_t>(10 + (events_in_all > 10 ? 10 : 0));
    REQUIRE(eventually([&] { return committed_records() == end; }));
    CHECK(db.value(all_events) == std::to_string(events_in_all));
    CHECK(db.value(all_jobs) == std::to_string(events_in_all));
    CHECK(db.value(all_attempts) == std::to_string(events_in_all));
  }
};

TEST_CASE("K-29: a group whose offsets are gone stops with an alarm, or sends nothing twice") {
  finished_group group;
  delete_offsets(group.brokers(), group.group, group.topic, 1);
  REQUIRE(group.committed_records() == 0);
  // The first-start rule is still there; but this partition was read before.
  group.require_stop("no committed offset");
  group.require_no_second_sending(10);
}

TEST_CASE(
    "K-29: a group whose place was truncated stops with an alarm, or goes on at what is left") {
  finished_group group;
  group.publish(group.events(10));
  delete_records(group.brokers(), group.topic, 0, 15);
  group.require_stop("out of range");
  // Five are gone for good, and that is what the alarm is for.
  running_pipeline pipeline{group.with_reset("earliest")};
  group.require_value(sent_jobs, "15");
  CHECK(eventually([&] { return group.committed_records() == 20; }));
  CHECK(group.db.value(all_attempts) == "15");
  CHECK(group.db.value("select gaps from notify.partition_ledger") == "1");
}

TEST_CASE(
    "a partition that was never read stops too, unless a rule for the first start is declared") {
  pipeline_fixture fixture{1};
  fixture.publish(fixture.events(3));
  auto config = fixture.config();
  config.kafka.offset_reset = "error";
  SECTION("none is declared") {
    running_pipeline pipeline{config};
    CHECK(eventually([&] {
      return reason_of(health_of(pipeline), "kafka").find("stalled") != std::string::npos;
    }));
    CHECK(fixture.db.value(all_events) == "0");
  }
  SECTION("earliest") {
    config.kafka.first_start = "earliest";
    running_pipeline pipeline{config};
    fixture.require_value(sent_jobs, "3");
    CHECK(health_of(pipeline).ready);
  }
  SECTION("latest") {
    config.kafka.first_start = "latest";
    running_pipeline pipeline{config};
    REQUIRE(eventually([&] { return health_of(pipeline).ready; }));
    // Whatever comes from now on is read; the first ones are not.
    REQUIRE(eventually([&] {
      fixture.publish(fixture.events(1));
      return fixture.db.value(all_events) != "0";
    }));
    CHECK(fixture.db.value("select min(\"offset\") >= 3 from notify.inbox_events") == "t");
  }
}

TEST_CASE("a first start beside partitions that are read already skips and doubles nothing") {
  outage_fixture fixture;
  // Two of four partitions have a place.
  commit_offsets(fixture.brokers, fixture.group, fixture.topic, {0, 0});
  fixture.produce(0, 2000);
  auto config = fixture.quick();
  config.offset_reset = "error";
  config.first_start = "earliest";
  auto member = fixture.member("one", config);
  REQUIRE(fixture.reaches(all_events, "2000"));
  fixture.produce(2000, 100);
  REQUIRE(fixture.reaches(all_events, "2100"));
  CHECK(eventually([&] { return fixture.committed_records() == 2100; }));
  CHECK(member->status().counters["duplicates"] == 0);
  CHECK(member->status().counters["stalled"] == 0);
  CHECK(fixture.db.value("select sum(gaps) from notify.partition_ledger") == "0");
  fixture.check_stored(2100);
}

// librdkafka ends the process if a partition is stopped twice, which happened when the first starts
// of several partitions each made a new assignment.
TEST_CASE("a first start of many partitions at once reads them all") {
  outage_fixture fixture{32};
  fixture.produce(0, 640);
  auto config = fixture.quick();
  config.offset_reset = "error";
  config.first_start = "earliest";
  auto member = fixture.member("one", config);
  REQUIRE(fixture.reaches(all_events, "640"));
  CHECK(eventually([&] { return fixture.committed_records() == 640; }));
  CHECK(member->status().counters["rebalances"] == 1);
  CHECK(member->status().counters["stalled"] == 0);
  fixture.check_stored(640);
}

} // namespace
} // namespace notify::test
