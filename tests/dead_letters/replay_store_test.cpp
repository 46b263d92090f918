#include "actors/dead_letter_replay.hpp"
#include "tests/actors/ingest/sample_records.hpp"
#include "tests/dead_letters/store_fixture.hpp"

#include <thread>

namespace notify {
namespace {

using namespace test;

using strings = std::vector<std::string>;

struct replay_store_fixture : letter_store_fixture {
  replay_report replay(const replay_request& request = {}) {
    dead_letter_replay runner{letters, inbox, {routes(), {}}};
    auto report = runner.run(request);
    INFO((report ? std::string{} : render(report.error())));
    REQUIRE(report);
    return *report;
  }

  std::string count(const std::string& table) {
    return db.value("select count(*) from notify." + table);
  }
};

TEST_CASE_METHOD(replay_store_fixture, "a replayed letter is an event with jobs and is settled") {
  add({text_letter(1, envelope(1)), text_letter(2, "not json")});
  auto report = replay();
  CHECK(report.stored == 1);
  CHECK(report.jobs == 1);
  CHECK(report.refused == 1);
  CHECK(count("inbox_events") == "1");
  CHECK(db.value("select \"offset\" from notify.inbox_events") == "1001");
  CHECK(count("job_queue") == "1");
  CHECK(count("dead_letters") == "2");
  CHECK(count("partition_ledger") == "0");
  CHECK(row(1, "replays, replay_result, replayed_at is not null, attempts, reason")
        == strings{"1", "stored", "t", "1", "not_json"});
  CHECK(row(1, "event_id") == strings{to_string(event_id(1))});
}

TEST_CASE_METHOD(replay_store_fixture, "what is still invalid stays dead, with today's reason") {
  auto letter = text_letter(1, "");
  letter.info.reason = "storage_refused";
  add({letter});
  db.query("update notify.dead_letters set first_failed_at = now() - interval '1 day', "
           "last_failed_at = now() - interval '1 day'");
  CHECK(replay().refused == 1);
  CHECK(row(1, "replays, replay_result, replayed_at, attempts, reason, "
               "last_failed_at > now() - interval '1 hour', "
               "first_failed_at < now() - interval '1 hour'")
        == strings{"1", "refused", "NULL", "2", "empty_value", "t", "t"});
  CHECK(count("dead_letters") == "1");
}

TEST_CASE_METHOD(replay_store_fixture, "a replay done twice is done once") {
  add({text_letter(1, envelope(1)), text_letter(2, envelope(1)), text_letter(3, envelope(3))});
  auto first = replay();
  CHECK(first.stored == 2);
  CHECK(first.duplicates == 1);
  CHECK(row(2, "replay_result") == strings{"duplicate"});
  auto second = replay();
  CHECK(second.tried == 0);
  replay_request again;
  again.ids = {1, 2, 3};
  CHECK(replay(again).settled == 3);
  CHECK(count("inbox_events") == "2");
  CHECK(count("notification_jobs") == "2");
  CHECK(row(1, "replays") == strings{"1"});
}

TEST_CASE_METHOD(replay_store_fixture, "an event that came by another record is a duplicate") {
  add({text_letter(1, envelope(1))});
  auto letter = text_letter(1, envelope(1));
  letter.record.offset = 5;
  add({letter});
  replay_request one;
  one.ids = {2};
  CHECK(replay(one).stored == 1);
  auto report = replay();
  CHECK(report.stored == 0);
  CHECK(report.duplicates == 1);
  CHECK(count("notification_jobs") == "1");
}

TEST_CASE_METHOD(replay_store_fixture, "replays side by side settle each letter once") {
  std::vector<stored_letter> many;
  for (int64_t id = 1; id <= 60; ++id)
    many.push_back(text_letter(id, id % 3 == 0 ? "cut" : envelope(static_cast<uint64_t>(id))));
  add(many);
  std::vector<replay_report> reports(3);
  {
    std::vector<std::jthread> operators;
    for (auto& report : reports)
      operators.emplace_back([this, &report] {
        pg_dead_letter_store own_letters{db.config()};
        pg_ingest_store own_inbox{db.config()};
        dead_letter_replay runner{own_letters, own_inbox, {routes(), {}}, {7, 100'000}};
        if (auto x = runner.run({}))
          report = *x;
      });
  }
  uint64_t stored = 0;
  for (const auto& x : reports)
    stored += x.stored + x.duplicates;
  CHECK(stored == 40);
  CHECK(count("inbox_events") == "40");
  CHECK(count("notification_jobs") == "40");
  CHECK(db.value("select count(*) from notify.dead_letters where replayed_at is not null") == "40");
  CHECK(db.value("select max(replays) from notify.dead_letters where replayed_at is not null")
        == "1");
}

TEST_CASE_METHOD(replay_store_fixture, "a hundred thousand letters are replayed in small steps") {
  db.query(
      "insert into notify.dead_letters (topic, partition, \"offset\", timestamp_ms, key, value, "
      "header_names, header_values, reason, detail) select 't', 0, g, 0, 'k', '{}', '{}', '{}', "
      "'r', 'd' from generate_series(1, 100000) g");
  add({text_letter(1, envelope(1))});
  dead_letter_replay runner{letters, inbox, {routes(), {}}, {1000, size_t{8} << 20u}};
  size_t steps = 0;
  auto report = runner.run({}, [&](const replay_report& x) {
    ++steps;
    CHECK(x.tried <= steps * 1000);
  });
  REQUIRE(report);
  CHECK(steps == 101);
  CHECK(report->tried == 100'001);
  CHECK(report->stored == 1);
  CHECK(report->refused == 100'000);
}

} // namespace
} // namespace notify
