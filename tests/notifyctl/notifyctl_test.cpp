#include "tools/notifyctl.hpp"

#include "actors/kafka/dev_broker.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/notifyctl/ctl_run.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdio>
#include <fstream>

namespace notify::ctl {
namespace {

using test::contains;
using test::notifyctl;

struct notifyctl_fixture {
  notifyctl_fixture() {
    auto started = kafka::dev_broker::start({{"orders.events.v1", 4, {}}});
    REQUIRE(started);
    broker = std::move(*started);
    brokers = "--brokers=" + broker->bootstrap();
  }

  std::unique_ptr<kafka::dev_broker> broker;
  std::string brokers;
};

TEST_CASE("wrong usage exits with 2 and says what was meant") {
  CHECK(notifyctl({}).code == cli::usage);
  auto command = notifyctl({"prodcue"});
  CHECK(command.code == cli::usage);
  CHECK(contains(command.err, "did you mean 'produce'?"));
  auto option = notifyctl({"produce", "--emial=x"});
  CHECK(option.code == cli::usage);
  CHECK(contains(option.err, "did you mean --email?"));
  auto type = notifyctl({"produce", "--type=order.payed.v1"});
  CHECK(type.code == cli::usage);
  CHECK(contains(type.err, "did you mean 'order.paid.v1'?"));
  CHECK(notifyctl({"topics"}).code == cli::usage);
  CHECK(notifyctl({"topics", "destroy"}).code == cli::usage);
  CHECK(notifyctl({"topics", "create"}).code == cli::usage);
  CHECK(notifyctl({"topics", "create", "--topic-config=nonsense", "x"}).code == cli::usage);
  CHECK(notifyctl({"produce", "--locale=xx"}).code == cli::usage);
  CHECK(notifyctl({"produce", "--event-id=12"}).code == cli::usage);
  CHECK(notifyctl({"produce", "--count=0"}).code == cli::usage);
  CHECK(notifyctl({"produce", "--raw"}).code == cli::usage);
  CHECK(notifyctl({"produce", "--file=/does/not/exist"}).code == cli::usage);
  CHECK(notifyctl({"offsets", "word"}).code == cli::usage);
}

TEST_CASE("a broker that does not answer is a failure, told with its address") {
  // Nobody listens on port 1.
  auto result = notifyctl({"topics", "wait", "--brokers=127.0.0.1:1", "--timeout=1"});
  CHECK(result.code == cli::failed);
  CHECK(contains(result.err, "127.0.0.1:1"));
}

TEST_CASE_METHOD(notifyctl_fixture, "the settings say where Kafka is and how it is reached") {
  test::temp_folder folder;
  auto config =
      "--config="
      + folder.write("notifyd.ini", "[kafka]\nbrokers=[\"" + broker->bootstrap()
                                        + "\"]\nproperties=[\"socket.timeout.ms=10000\"]\n");
  CHECK(notifyctl({"topics", "wait", config, "orders.events.v1"}).code == cli::success);
  CHECK(notifyctl({"produce", config}).lines() == 1u);
  // The command line wins.
  CHECK(notifyctl({"topics", "wait", config, "--brokers=127.0.0.1:1", "--timeout=1"}).code
        == cli::failed);
  // What the settings say about the connection is used: nobody speaks TLS there.
  auto tls = "--config="
             + folder.write("tls.ini", "[kafka]\nbrokers=[\"" + broker->bootstrap()
                                           + "\"]\nproperties=[\"security.protocol=SSL\"]\n");
  CHECK(notifyctl({"topics", "wait", tls, "--timeout=1"}).code == cli::failed);
  auto several = "--config="
                 + folder.write("two.ini", "[kafka]\nbrokers=[\"" + broker->bootstrap()
                                               + "\"]\ntopics=[\"a\", \"b\"]\n");
  CHECK(contains(notifyctl({"produce", several}).err, "say --topic=NAME"));
}

TEST_CASE_METHOD(notifyctl_fixture, "produce prints the id of each event") {
  auto result = notifyctl({"produce", brokers, "--count=20"});
  CHECK(result.code == cli::success);
  CHECK(result.lines() == 20u);
  CHECK(contains(result.err, "20 of 20 events acknowledged"));
  auto records = test::read_topic(broker->bootstrap(), "orders.events.v1", 20);
  REQUIRE(records.size() == 20u);
  for (const auto& record : records)
    CHECK(record.key.present);
}

TEST_CASE_METHOD(notifyctl_fixture, "produce repeats one event id on demand") {
  std::string id = "7b7e3f4c-52f3-4c5b-9a0a-8a3a1d2f6c11";
  auto result = notifyctl({"produce", brokers, "--count=2", "--event-id=" + id});
  CHECK(result.code == cli::success);
  CHECK(result.out == id + "\n" + id + "\n");
}

TEST_CASE_METHOD(notifyctl_fixture, "produce takes the lines of a file") {
  std::string path = test::unique_name("lines") + ".jsonl";
  std::ofstream{path} << "{\"event_id\":\"a\"}\n\n{\"event_id\":\"b\"}\nnot json\n";
  auto strict = notifyctl({"produce", brokers, "--file", path});
  CHECK(strict.code == cli::failed);
  CHECK(contains(strict.err, "line 4"));
  auto raw = notifyctl({"produce", brokers, "--raw", "--file", path});
  CHECK(raw.code == cli::success);
  CHECK(raw.out == "a\nb\n");
  CHECK(contains(raw.err, "3 of 3 events acknowledged"));
  std::remove(path.c_str());
}

TEST_CASE_METHOD(notifyctl_fixture, "topics create leaves what exists alone") {
  // The development broker refuses to create topics on request, so none was sent.
  auto result = notifyctl({"topics", "create", brokers, "orders.events.v1"});
  CHECK(result.code == cli::success);
  CHECK(result.out.empty());
}

TEST_CASE_METHOD(notifyctl_fixture, "topics wait is done when the topics can be used") {
  CHECK(notifyctl({"topics", "wait", brokers}).code == cli::success);
  CHECK(notifyctl({"topics", "wait", brokers, "orders.events.v1"}).code == cli::success);
  auto missing = notifyctl({"topics", "wait", brokers, "--timeout=1", "no-such-topic"});
  CHECK(missing.code == cli::failed);
  CHECK(contains(missing.err, "no-such-topic"));
}

} // namespace
} // namespace notify::ctl
