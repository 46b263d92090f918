#include "tests/ingest_outages/kafka_damage.hpp"
#include "tests/ingest_outages/outage_fixture.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"
#include "tools/notifyctl.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

// What operators do to the place of a group, and a range of a topic that is read once more.

namespace notify::test {
namespace {

struct outcome {
  int code = 0;
  std::string out;
  std::string err;
};

struct tools_fixture : outage_fixture {
  tools_fixture() : outage_fixture(1) {}

  outcome notifyctl(std::vector<std::string> words) const {
    words.push_back("--brokers=" + brokers);
    words.push_back("--topic=" + topic);
    words.push_back("--postgres=" + db.url());
    words.push_back("--actor=anna");
    std::vector<const char*> raw;
    raw.reserve(words.size());
    for (const auto& x : words)
      raw.push_back(x.c_str());
    std::ostringstream out;
    std::ostringstream err;
    auto code = ctl::run(raw, {out, err});
    return {code, out.str(), err.str()};
  }

  outcome offsets(std::vector<std::string> words) const {
    words.insert(words.begin(), "offsets");
    words.push_back("--group=" + group);
    return notifyctl(std::move(words));
  }

  std::string line(const std::string& before, int after) const {
    return topic + " 0 " + before + ' ' + std::to_string(after) + '\n';
  }

  postgres_fixture::rows audit() {
    return db.query("select actor, action, target, details #>> '{partitions,0,from}',"
                    " details #>> '{partitions,0,to}' from notify.audit_log order by id");
  }

  /// Ten records stored and committed, and nobody in the group any more.
  void read_ten() {
    produce(0, 10);
    auto reader = member("reader", quick());
    REQUIRE(reaches(all_events, "10"));
    REQUIRE(eventually([&] { return committed_records() == 10; }));
    reader->stop();
  }
};

TEST_CASE("offsets show says how far a group is behind") {
  tools_fixture fixture;
  fixture.produce(0, 10);
  commit_offsets(fixture.brokers, fixture.group, fixture.topic, {4});
  std::ostringstream out;
  std::ostringstream err;
  auto brokers = "--brokers=" + fixture.brokers;
  auto group = "--group=" + fixture.group;
  std::vector<const char*> words{"offsets", brokers.c_str(), group.c_str()};
  CHECK(ctl::run(words, {out, err}) == 0);
  CHECK(out.str() == fixture.topic + " 0 4 10 6\n");
}

TEST_CASE("a reset is refused while the group has members") {
  tools_fixture fixture;
  fixture.produce(0, 10);
  auto reader = fixture.member("reader", fixture.quick());
  REQUIRE(eventually([&] { return fixture.committed_records() == 10; }));
  auto refused = fixture.offsets({"reset", "--to=earliest"});
  CHECK(refused.code == 1);
  CHECK(refused.err.find("has 1 members") != std::string::npos);
  CHECK(fixture.committed_records() == 10);
  CHECK(fixture.audit().empty());
}

TEST_CASE(
    "a reset shows the old offsets, moves the group, leaves a record, and sends nothing twice") {
  tools_fixture fixture;
  fixture.read_ten();
  auto dry = fixture.offsets({"reset", "--to=earliest", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK(dry.out == fixture.line("10", 0));
  CHECK(fixture.committed_records() == 10);
  CHECK(fixture.audit().empty());
  auto done = fixture.offsets({"reset", "--to=earliest"});
  CHECK(done.code == 0);
  CHECK(done.out == fixture.line("10", 0));
  CHECK(fixture.committed() == std::map<int32_t, int64_t>{{0, 0}});
  CHECK(fixture.audit()
        == postgres_fixture::rows{{"anna", "offsets.reset", fixture.group, "10", "0"}});
  auto again = fixture.member("again", fixture.quick());
  REQUIRE(eventually([&] { return fixture.committed_records() == 10; }));
  CHECK(again->status().counters["duplicates"] == 10);
  fixture.check_stored(10);
}

TEST_CASE("the places of a reset: a time, the end, an offset, and where the database was") {
  tools_fixture fixture;
  fixture.read_ten();
  fixture.produce(10, 5);
  CHECK(fixture.offsets({"reset", "--to=1980-01-01T00:00:00Z"}).out == fixture.line("10", 0));
  CHECK(fixture.offsets({"reset", "--to=9999-01-01T00:00:00Z"}).out == fixture.line("0", 15));
  CHECK(fixture.offsets({"reset", "--to=7", "--partition=0"}).out == fixture.line("15", 7));
  CHECK(fixture.offsets({"reset", "--to=latest"}).out == fixture.line("7", 15));
  delete_offsets(fixture.brokers, fixture.group, fixture.topic, 1);
  CHECK(fixture.offsets({"reset", "--to=ledger"}).out == fixture.line("-", 10));
  CHECK(fixture.committed_records() == 10);
  CHECK(fixture.audit().size() == 5);
  auto beyond = fixture.offsets({"reset", "--to=16"});
  CHECK(beyond.code == 1);
  CHECK(beyond.err.find("0 to 15") != std::string::npos);
  CHECK(fixture.offsets({"reset", "--to=tomorrow"}).code == 2);
  CHECK(fixture.offsets({"reset"}).code == 2);
  CHECK(fixture.committed_records() == 10);
}

TEST_CASE("a record that is skipped is kept as a dead letter, and only it") {
  tools_fixture fixture;
  fixture.produce(0, 10);
  commit_offsets(fixture.brokers, fixture.group, fixture.topic, {4});
  std::vector<std::string> words{"skip", "--partition=0", "--offset=4", "--reason=broken"};
  auto elsewhere = words;
  elsewhere[2] = "--offset=6";
  auto refused = fixture.offsets(elsewhere);
  CHECK(refused.code == 1);
  CHECK(refused.err.find("stands at 4, not at 6") != std::string::npos);
  auto dry = words;
  dry.push_back("--dry-run");
  CHECK(fixture.offsets(dry).out == fixture.line("4", 5));
  CHECK(fixture.db.value(all_dead_letters) == "0");
  CHECK(fixture.offsets(words).code == 0);
  CHECK(fixture.committed_records() == 5);
  CHECK(fixture.db.query(
            "select \"offset\", reason, detail, value is not null from notify.dead_letters")
        == postgres_fixture::rows{{"4", "skipped", "passed over by hand: broken", "t"}});
  CHECK(fixture.audit()
        == postgres_fixture::rows{{"anna", "offsets.skip", fixture.group, "4", "5"}});
  auto reader = fixture.member("reader", fixture.quick());
  REQUIRE(eventually([&] { return fixture.committed_records() == 10; }));
  CHECK(fixture.db.value(all_events) == "5");
}

TEST_CASE("a replay goes through the inbox, counts, and moves neither group nor ledger") {
  tools_fixture fixture;
  fixture.read_ten();
  fixture.produce(10, 20);
  kafka::outgoing_record poison;
  poison.value = {true, "not json"};
  fixture.produce(poison);
  temp_folder folder;
  auto routes = folder.write("routes.json", R"({"routes":[{"event_type":"order.paid.v1",
    "channel":"email","recipient":"email","template":"order-paid.v1"}]})");
  std::vector<std::string> words{"replay", "--from=5", "--routes=" + routes, "--batch=8"};
  auto dry = words;
  dry.push_back("--dry-run");
  CHECK(fixture.notifyctl(dry).out == "records 26\nvalid 25\nduplicates 0\njobs 25\nrefused 1\n");
  CHECK(fixture.db.value(all_events) == "10");
  CHECK(fixture.db.value(all_dead_letters) == "0");
  auto done = fixture.notifyctl(words);
  CHECK(done.code == 0);
  CHECK(done.out == "records 26\nstored 20\nduplicates 5\njobs 20\nrefused 1\n");
  // Four batches, each with its line.
  CHECK(std::count(done.err.begin(), done.err.end(), '\n') == 4);
  CHECK(fixture.db.value(all_events) == "30");
  CHECK(fixture.db.value(all_jobs) == "30");
  CHECK(fixture.db.value(all_dead_letters) == "1");
  CHECK(fixture.committed_records() == 10);
  CHECK(fixture.db.value("select next_offset from notify.partition_ledger") == "10");
  CHECK(fixture.db.value("select action || ' ' || (details ->> 'events') from notify.audit_log")
        == "replay 20");
  CHECK(fixture.notifyctl(words).out == "records 26\nstored 0\nduplicates 25\njobs 0\nrefused 1\n");
}

} // namespace
} // namespace notify::test
