#include "tools/notifyctl.hpp"

#include "actors/kafka/dev_broker.hpp"
#include "tests/kafka/topic_reader.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace notify::ctl {
namespace {

struct outcome {
  int code = 0;
  std::string out;
  std::string err;

  size_t lines() const { return static_cast<size_t>(std::count(out.begin(), out.end(), '\n')); }
};

outcome notifyctl(const std::vector<std::string>& words) {
  std::vector<const char*> raw;
  for (const auto& x : words)
    raw.push_back(x.c_str());
  std::ostringstream out;
  std::ostringstream err;
  auto code = run(raw, {out, err});
  return {code, out.str(), err.str()};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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

TEST_CASE("every command explains itself with examples or columns") {
  for (const auto* command : {"topics", "offsets", "produce"}) {
    auto help = notifyctl({command, "--help"});
    CHECK(help.code == cli::success);
    CHECK(contains(help.out, "Usage: notifyctl " + std::string{command}));
    CHECK(contains(help.out, "--brokers"));
    CHECK(help.err.empty());
  }
  CHECK(contains(notifyctl({"--help"}).out, "Exit codes"));
}

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
  CHECK(notifyctl({"topics", "create", "--config=nonsense", "x"}).code == cli::usage);
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
