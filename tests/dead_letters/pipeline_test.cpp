#include "actors/kafka/admin.hpp"
#include "tests/dead_letters/letter_samples.hpp"
#include "tests/integration/pipeline_fixture.hpp"
#include "tests/kafka/topic_reader.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <future>

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;

struct letters_pipeline : pipeline_fixture {
  letters_pipeline() : pipeline_fixture(1) {}

  service_config with_letters() const {
    auto x = config();
    x.dead_letters.topic = dlq;
    x.dead_letters.poll_interval = 200ms;
    x.dead_letters.first_retry = 100ms;
    x.dead_letters.park_interval = 300ms;
    return x;
  }

  void make_dlq() {
    auto admin = kafka::admin::create({environment("NOTIFY_TEST_KAFKA")}, "test");
    REQUIRE(admin);
    REQUIRE(admin->create_missing({{dlq, 1, {}}}, 30s));
    REQUIRE_FALSE(admin->wait_for({dlq}, 30s));
  }

  static kafka::outgoing_record record(nullable_bytes key, nullable_bytes value) {
    kafka::outgoing_record x;
    x.key = std::move(key);
    x.value = std::move(value);
    return x;
  }

  /// As `publish`, for records of any size.
  void publish_large(const std::vector<kafka::outgoing_record>& records) {
    kafka::producer_config settings;
    settings.brokers = {environment("NOTIFY_TEST_KAFKA")};
    settings.max_message_bytes = 10'000'000;
    auto producer = kafka::producer::create(settings, {});
    REQUIRE(producer);
    for (auto x : records) {
      x.topic = topic;
      REQUIRE_FALSE((*producer)->produce(x));
    }
    REQUIRE_FALSE((*producer)->flush(60s));
  }

  /// Takes the database away from the service, or gives it back.
  void set_database(bool available) {
    raw_connection server{environment("NOTIFY_TEST_POSTGRES")};
    server.query("alter database " + db.name() + " with allow_connections "
                 + (available ? "true" : "false"));
    if (!available)
      server.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = '"
                   + db.name() + "' and application_name like 'test/%'");
  }

  /// True while the consumer does not get rid of what it has read.
  static bool ingest_waits(service& x) {
    std::promise<health_report> answer;
    x.health([&](health_report report) { answer.set_value(std::move(report)); });
    auto report = answer.get_future().get();
    return std::any_of(report.checks.begin(), report.checks.end(),
                       [](const auto& check) { return check.check == "kafka" && !check.ok; });
  }

  /// Only letters that nobody published.
  const std::string unpublished =
      "select count(*) from notify.dead_letters where published_at is null";
  std::string dlq = unique_name("dlq");
};

TEST_CASE_METHOD(letters_pipeline,
                 "D-A14, K-6: each kind of bad record is kept with its reason and published") {
  make_dlq();
  auto newer = event();
  auto version = newer.value.bytes.find(".v1");
  REQUIRE(version != std::string::npos);
  newer.value.bytes.replace(version, 3, ".v9");
  nullable_bytes key{true, "order-1"};
  const std::vector<std::pair<std::string, kafka::outgoing_record>> bad{
      {"empty_value", record(key, {true, ""})},
      {"tombstone", record(key, {})},
      {"tombstone", record({}, {})},
      {"not_utf8", record(key, {true, "{\"a\":\"\xff\"}"})},
      {"not_json", record(key, {true, "{\"event_id\":\"7b7e"})},
      {"unsupported_version", newer},
      // Five million bytes, which travel compressed.
      {"too_large", record(key, {true, std::string(5'000'000, 'x')})},
  };
  std::vector<kafka::outgoing_record> records{event()};
  for (const auto& [reason, x] : bad)
    records.push_back(x);
  records.push_back(event());
  running_pipeline service{with_letters()};
  publish_large(records);
  // The partition went on: the event behind the bad ones is there.
  require_value("select count(*) from notify.inbox_events", "2");
  require_value("select count(*) from notify.dead_letters", std::to_string(bad.size()));
  require_value(unpublished, "0");
  for (size_t i = 0; i < bad.size(); ++i) {
    INFO(bad[i].first);
    CHECK(db.value("select reason from notify.dead_letters where \"offset\" = "
                   + std::to_string(i + 1))
          == bad[i].first);
  }
  CHECK(eventually([&] { return committed_records() == static_cast<int64_t>(records.size()); }));
  auto published = read_topic(environment("NOTIFY_TEST_KAFKA"), dlq, bad.size());
  REQUIRE(published.size() == bad.size());
  for (const auto& x : published) {
    auto place = std::stoul(header_of(x.headers, "notify-dlq-offset")) - 1;
    REQUIRE(place < bad.size());
    INFO(bad[place].first);
    CHECK(header_of(x.headers, "notify-dlq-reason") == bad[place].first);
    CHECK(x.key == bad[place].second.key);
    CHECK(x.value == bad[place].second.value);
  }
}

TEST_CASE_METHOD(letters_pipeline,
                 "K-27: with database and dead-letter topic broken at once, offsets wait") {
  running_pipeline service{with_letters()};
  publish(events(1));
  require_value("select count(*) from notify.inbox_events", "1");
  REQUIRE(eventually([&] { return committed_records() == 1; }));
  set_database(false);
  auto records = events(3);
  records.insert(records.begin() + 1, record({true, "k"}, {true, "not json"}));
  publish(records);
  // The service notices, and keeps the group's offset where it was.
  REQUIRE(eventually([&] { return ingest_waits(*service); }));
  CHECK(committed_records() == 1);
  set_database(true);
  require_value("select count(*) from notify.inbox_events", "4");
  require_value("select count(*) from notify.dead_letters", "1");
  REQUIRE(eventually([&] { return committed_records() == 5; }));
  CHECK(db.value(unpublished) == "1");
  make_dlq();
  require_value(unpublished, "0");
  auto published = read_topic(environment("NOTIFY_TEST_KAFKA"), dlq, 1);
  REQUIRE(published.size() == 1);
  CHECK(published.front().value.bytes == "not json");
  CHECK(db.value("select count(*) from notify.notification_jobs") != "0");
}

TEST_CASE_METHOD(letters_pipeline, "K-34: a database that is away makes no dead letter") {
  running_pipeline service{with_letters()};
  publish(events(1));
  require_value("select count(*) from notify.inbox_events", "1");
  set_database(false);
  publish(events(5));
  REQUIRE(eventually([&] { return ingest_waits(*service); }));
  set_database(true);
  require_value("select count(*) from notify.inbox_events", "6");
  CHECK(db.value("select count(*) from notify.dead_letters") == "0");
}

} // namespace
} // namespace notify
