#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

namespace notify::test {
namespace {

using namespace std::chrono_literals;

constexpr auto sent_jobs = "select count(*) from notify.notifications where status = 'sent'";
constexpr auto all_events = "select count(*) from notify.inbox_events";

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The log lines with this message.
std::vector<boost::json::object> lines_saying(const daemon& program, const std::string& message) {
  std::vector<boost::json::object> result;
  std::istringstream lines{program.output()};
  for (std::string line; std::getline(lines, line);) {
    boost::system::error_code failed;
    auto value = boost::json::parse(line, failed);
    if (!failed && value.is_object() && value.at("message").as_string() == message)
      result.push_back(value.as_object());
  }
  return result;
}

TEST_CASE("Q-B12: a process that dies between database commit and offset commit loses and doubles "
          "nothing") {
  pipeline_fixture fixture;
  {
    // The first commit comes at once and the next one after a minute: the process dies between the
    // database's commit of 199 events and their offsets.
    daemon victim{"notifyd", with(fixture.arguments("victim"),
                                  {"--kafka.commit-interval=1min", "--service.run-deliver=false"})};
    fixture.publish(fixture.events(1));
    REQUIRE(eventually([&] { return fixture.committed_records() == 1; }));
    fixture.publish(fixture.events(199));
    fixture.require_value(all_events, "200");
    victim.signal(SIGKILL);
    CHECK(victim.wait() == 128 + SIGKILL);
  }
  REQUIRE(fixture.committed_records() == 1);
  daemon heir{"notifyd", fixture.arguments("heir")};
  fixture.publish(fixture.events(1));
  fixture.require_value(sent_jobs, "201");
  CHECK(fixture.db.value(all_events) == "201");
  CHECK(fixture.db.value("select count(*) from notify.notification_jobs") == "201");
  CHECK(fixture.db.value("select count(*) from notify.delivery_attempts") == "201");
  CHECK(eventually([&] { return fixture.committed_records() == 201; }));
  // The second reading is on record: partitions went back to their start.
  CHECK(fixture.db.value("select sum(rewinds) > 0 from notify.partition_ledger") == "t");
}

TEST_CASE("a process that is killed with jobs in flight leaves them to others") {
  pipeline_fixture fixture;
  std::vector<std::string> quick{"--delivery.lease=6s", "--delivery.heartbeat-interval=2s",
                                 "--channel-email.deadline=500ms", "--reaper.interval=500ms"};
  fixture.publish(fixture.events(2000));
  {
    daemon victim{"notifyd", with(fixture.arguments("victim"), quick)};
    REQUIRE(eventually([&] { return fixture.db.value(sent_jobs) != "0"; }));
    victim.signal(SIGKILL);
    victim.wait();
  }
  daemon heir{"notifyd", with(fixture.arguments("heir"), quick)};
  fixture.require_value(sent_jobs, "2000");
  CHECK(fixture.db.value("select count(*) from notify.notification_jobs") == "2000");
  fixture.require_value("select count(*) from notify.leases", "0");
  CHECK(fixture.db.value("select count(*) from notify.job_queue") == "0");
  // Attempt numbers have no gaps.
  CHECK(fixture.db.value("select count(*) from (select job_id from notify.delivery_attempts"
                         " group by 1 having max(attempt_no) <> count(*)) x")
        == "0");
}

TEST_CASE("SIGTERM ends the process in order and with exit code 0") {
  pipeline_fixture fixture;
  daemon program{"notifyd", fixture.arguments("one")};
  fixture.publish(fixture.events(100));
  fixture.require_value(sent_jobs, "100");
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(fixture.committed_records() == 100);
  CHECK(fixture.db.value("select count(*) from notify.leases") == "0");
}

TEST_CASE("a member that another process replaced leaves with a failure and says why") {
  pipeline_fixture fixture;
  std::vector<std::string> same{"--kafka.instance-id=the-one"};
  daemon first{"notifyd", with(fixture.arguments("first"), same)};
  fixture.publish(fixture.events(1));
  fixture.require_value(sent_jobs, "1");
  daemon second{"notifyd", with(fixture.arguments("second"), same)};
  auto code = first.wait();
  REQUIRE(code.has_value());
  CHECK(*code == 5);
  CHECK(first.output().find("kafka_fatal") != std::string::npos);
  fixture.publish(fixture.events(1));
  fixture.require_value(sent_jobs, "2");
}

TEST_CASE("two processes of one group share partitions and jobs, and none is sent twice") {
  constexpr size_t jobs = 10'000;
  pipeline_fixture fixture{4};
  std::vector<std::string> slots{"--channel-email.slots=32", "--channel-email.prefetch=32"};
  daemon first{"notifyd", with(fixture.arguments("first"), slots)};
  daemon second{"notifyd", with(fixture.arguments("second"), slots)};
  // Both are members before the load comes: each has stored something of its own partitions.
  size_t published = 0;
  REQUIRE(eventually([&] {
    fixture.publish(fixture.events(8));
    published += 8;
    return fixture.db.value("select count(distinct instance) from notify.partition_ledger") == "2";
  }));
  fixture.publish(fixture.events(jobs));
  published += jobs;
  fixture.require_value(sent_jobs, std::to_string(published));

  CHECK(fixture.db.value("select count(*) from notify.delivery_attempts")
        == std::to_string(published));
  for (auto* program : {&first, &second})
    program->signal(SIGTERM);
  std::multiset<std::string> sent;
  for (auto* program : {&first, &second}) {
    CHECK(program->wait() == 0);
    auto lines = lines_saying(*program, "attempt sent");
    CHECK(lines.size() > 0);
    for (const auto& line : lines)
      sent.emplace(line.at("job_id").as_string().c_str());
  }
  CHECK(sent.size() == published);
  CHECK(std::set<std::string>(sent.begin(), sent.end()).size() == published);
}

TEST_CASE("a database without the schema is refused with what to do") {
  pipeline_fixture fixture;
  fixture.db.query("drop schema notify cascade");
  daemon program{"notifyd", fixture.arguments("one")};
  CHECK(program.wait() == 3);
  CHECK(program.output().find("notifyd migrate") != std::string::npos);
}

} // namespace
} // namespace notify::test
