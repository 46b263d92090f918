#include "tests/integration/ingest/writer_fixture.hpp"

#include <set>

// What bad records do to their neighbours, on a real database: nothing.

namespace notify::test {
namespace {

using rows = postgres_fixture::rows;

TEST_CASE_METHOD(writer_fixture,
                 "K-19: of a batch of 500 the good records are stored once, the bad "
                 "ones dead-lettered, wherever they stand") {
  auto bad = GENERATE(std::set<uint64_t>{0}, std::set<uint64_t>{250}, std::set<uint64_t>{499},
                      std::set<uint64_t>{0, 499}, std::set<uint64_t>{249, 250});
  for (auto n : bad)
    refuse(n);
  auto answer = store(records(0, 500));
  REQUIRE(answer);
  CHECK(answer->events == 500 - bad.size());
  CHECK(answer->jobs == 500 - bad.size());
  CHECK(answer->dead_letters == bad.size());
  CHECK(events() == std::to_string(500 - bad.size()));
  CHECK(uneven_events() == "0");
  CHECK(db.value("select string_agg(\"offset\" || reason || attempts, ' ' order by \"offset\") "
                 "from notify.dead_letters")
        == [&] {
             std::string wanted;
             for (auto n : bad)
               wanted += (wanted.empty() ? "" : " ") + std::to_string(n) + "storage_refused1";
             return wanted;
           }());
  CHECK(db.query("select next_offset, total_records from notify.partition_ledger")
        == rows{{"500", "500"}});
  CHECK(db.value("select count(*) from notify.ingest_suspects") == "0");
  // Said again, nothing is doubled.
  auto again = store(records(0, 500));
  REQUIRE(again);
  CHECK(again->events == 0);
  CHECK(events() == std::to_string(500 - bad.size()));
  CHECK(letters() == std::to_string(bad.size()));
}

TEST_CASE_METHOD(writer_fixture,
                 "K-19: of a batch of 500 with one good record that one is stored") {
  auto good = GENERATE(0, 250, 499, -1);
  db.query("insert into refused_ids select ('0191f8a0-b1c2-7000-8000-' || lpad(to_hex(n), 12, "
           "'0'))::uuid, '23514' from generate_series(0, 499) n where n <> "
           + std::to_string(good));
  config.tries = 2;
  restart();
  auto wanted = good < 0 ? 0u : 1u;
  auto answer = store(records(0, 500));
  INFO((answer ? std::string{} : render(answer.error())));
  REQUIRE(answer);
  CHECK(answer->events == wanted);
  CHECK(answer->dead_letters == 500 - wanted);
  CHECK(events() == std::to_string(wanted));
  CHECK(letters() == std::to_string(500 - wanted));
  CHECK(uneven_events() == "0");
}

TEST_CASE_METHOD(writer_fixture, "K-19: a death between the parts of a search is harmless") {
  refuse(37);
  // The third part of the search meets a database that goes away.
  refuse(60, "57P03");
  auto answer = store(records(0, 100));
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == ec::storage_unavailable);
  // Nothing says that the batch is done: neither position nor dead letter.
  CHECK(events() != "0");
  CHECK(letters() == "0");
  CHECK(db.value("select count(*) from notify.partition_ledger") == "0");
  CHECK(uneven_events() == "0");
  db.query("delete from refused_ids where state = '57P03'");
  restart();
  auto again = store(records(0, 100));
  REQUIRE(again);
  CHECK(events() == "99");
  CHECK(letters() == "1");
  CHECK(uneven_events() == "0");
  CHECK(db.value("select next_offset from notify.partition_ledger") == "100");
}

TEST_CASE_METHOD(writer_fixture,
                 "D-A13: what cannot be stored for a while hides behind nothing that "
                 "comes after it") {
  // Not the data's fault: the batch is answered with the error each time, and never in part.
  refuse(5, "53100");
  for (int i = 0; i < 3; ++i) {
    auto answer = store(records(0, 10));
    REQUIRE_FALSE(answer);
    CHECK(answer.error() == ec::storage_unavailable);
    CHECK(events() == "0");
    CHECK(db.value("select count(*) from notify.partition_ledger") == "0");
    restart();
  }
  db.query("delete from refused_ids");
  REQUIRE(store(records(0, 10)));
  CHECK(events() == "10");
  CHECK(letters() == "0");
  // The data's fault: kept as a dead letter, in the transaction that moves the position past it.
  refuse(15);
  REQUIRE(store(records(10, 20)));
  CHECK(events() == "19");
  CHECK(letters() == "1");
  CHECK(db.value("select next_offset from notify.partition_ledger") == "20");
}

TEST_CASE_METHOD(writer_fixture,
                 "K-4: a session that dies between the event's row and its jobs leaves "
                 "neither") {
  db.query("create function die() returns trigger language plpgsql as $$ begin"
           "  perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); return new;"
           " end $$;"
           "create trigger die before insert on notify.notification_jobs"
           " for each row execute function die();");
  auto answer = store(records(0, 10));
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == ec::storage_unavailable);
  CHECK(events() == "0");
  CHECK(db.value("select count(*) from notify.notification_jobs") == "0");
  db.query("drop trigger die on notify.notification_jobs");
  restart();
  REQUIRE(store(records(0, 10)));
  CHECK(events() == "10");
  CHECK(uneven_events() == "0");
}

TEST_CASE_METHOD(writer_fixture,
                 "K-20: copies of an event in one batch collapse, the first one wins") {
  auto batch = records(0, 3);
  batch.push_back(record(3, envelope(1)));
  batch.push_back(record(4, envelope(2, R"({"email":"other@example.com"})")));
  auto answer = store(batch);
  REQUIRE(answer);
  CHECK(answer->events == 3);
  CHECK(answer->duplicates == 2);
  CHECK(uneven_events() == "0");
  CHECK(db.value("select payload ->> 'email' from notify.inbox_events where event_id = '"
                 + to_string(event_id(2)) + "'")
        == "a@example.com");
  CHECK(ask<actor_status>(writer, get_status{})->counters.at("conflicts") == 1);
}

TEST_CASE_METHOD(writer_fixture,
                 "D-B4, K-18: what PostgreSQL cannot hold is dead-lettered byte by byte, "
                 "and its neighbours are stored") {
  const std::vector<std::pair<std::string, std::string>> payloads{
      {R"({"email":"a@example.com","name":"\u0000"})", "nul_character"},
      {R"({"email":"a@example.com","\u0000":1})", "nul_character"},
      {R"({"email":"a@example.com","name":"\ud800"})", "not_utf8"},
      {std::string{"{\"email\":\"a@example.com\",\"name\":\"\0\"}", 36}, "nul_character"},
      {R"({"email":"a@example.com","amount":1e400000})", "invalid_number"},
      {R"({"email":"a@example.com","name":"\\u0000 \\ud800"})", ""}};
  std::vector<kafka_record> batch;
  for (size_t i = 0; i < payloads.size(); ++i) {
    batch.push_back(record(static_cast<int64_t>(2 * i), envelope(2 * i, payloads[i].first)));
    batch.push_back(record(static_cast<int64_t>(2 * i + 1), envelope(2 * i + 1)));
  }
  batch[0].headers = {{"x", {true, std::string{"\0\xff", 2}}}};
  auto answer = store(batch);
  REQUIRE(answer);
  CHECK(answer->events == 7);
  CHECK(answer->dead_letters == 5);
  auto found = db.query("select encode(value, 'hex'), reason from notify.dead_letters "
                        "order by \"offset\"");
  REQUIRE(found.size() == 5);
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i][1] == payloads[i].second);
    CHECK(found[i][0] == db.value("select encode('\\x" + [&] {
      std::string hex;
      for (unsigned char c : batch[2 * i].value.bytes) {
        hex += "0123456789abcdef"[c >> 4];
        hex += "0123456789abcdef"[c & 15];
      }
      return hex;
    }() + "'::bytea, 'hex')"));
  }
  CHECK(db.value("select header_values[1] from notify.dead_letters where \"offset\" = 0")
        == "\\x00ff");
}

TEST_CASE_METHOD(writer_fixture, "D-F8: records of 1 and 10 MB are kept as dead letters, and their "
                                 "partition goes on") {
  auto batch = records(0, 3);
  size_t at = 1;
  for (size_t megabytes : {1, 10})
    batch[at++].value.bytes = std::string(megabytes * 1024 * 1024 + 1, '[');
  auto answer = store(batch);
  INFO((answer ? std::string{} : render(answer.error())));
  REQUIRE(answer);
  CHECK(answer->events == 1);
  CHECK(answer->dead_letters == 2);
  CHECK(db.query("select reason, length(value) from notify.dead_letters order by \"offset\"")
        == rows{{"too_large", "1048577"}, {"too_large", "10485761"}});
  CHECK(db.value("select next_offset from notify.partition_ledger") == "3");
}

TEST_CASE_METHOD(writer_fixture,
                 "K-22: headers of any kind are kept with a dead letter and refuse no "
                 "event") {
  auto good = record(0, envelope(1));
  good.headers = {{"traceparent", {true, "\xC3\x28"}}, {"", {true, "x"}}, {"none", {}}};
  for (int i = 0; i < 200; ++i)
    good.headers.push_back({"many", {true, std::string("\xff\0", 2)}});
  auto bad = good;
  bad.offset = 1;
  bad.headers.push_back({"ce_id", {true, to_string(event_id(1))}});
  bad.headers.push_back({"ce_id", {true, to_string(event_id(1))}});
  auto answer = store({good, bad});
  REQUIRE(answer);
  CHECK(answer->events == 1);
  CHECK(db.query("select reason, cardinality(header_names), cardinality(header_values) "
                 "from notify.dead_letters")
        == rows{{"invalid_header", "205", "205"}});
  CHECK(db.value("select traceparent from notify.inbox_events").empty());
}

TEST_CASE_METHOD(writer_fixture, "K-23: the time of an event, however odd, delays no job") {
  auto dated = [](uint64_t n, const std::string& time) {
    auto x = record(static_cast<int64_t>(n), envelope(n));
    const std::string usual = "2026-09-01T16:00:00Z";
    x.value.bytes.replace(x.value.bytes.find(usual), usual.size(), time);
    return x;
  };
  auto at = [&](const std::string& distance) {
    return db.value("select to_char(now() at time zone 'UTC' + interval '" + distance
                    + "', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
  };
  auto without_record_time = dated(5, "2026-09-01T16:00:00Z");
  without_record_time.timestamp_ms = -1;
  auto missing = record(6, envelope(6));
  missing.value.bytes.replace(missing.value.bytes.find("occurred_at"), 11, "happened_at");
  auto answer = store({dated(0, at("-10 days")), dated(1, at("2 hours")), dated(2, at("5 minutes")),
                       dated(3, "9999-12-31T23:59:59Z"), dated(4, "1970-01-01T00:00:00Z"),
                       without_record_time, missing});
  REQUIRE(answer);
  CHECK(answer->events == 6);
  CHECK(answer->dead_letters == 1);
  CHECK(db.value("select count(*) from notify.job_queue where due_at <= now()") == "6");
  CHECK(db.value("select count(*) from notify.inbox_events where received_at <= now() and "
                 "received_at > now() - interval '1 hour'")
        == "6");
  CHECK(db.value("select reason from notify.dead_letters") == "missing_field");
}

TEST_CASE_METHOD(writer_fixture,
                 "marks of records in work are written and found by the next writer") {
  die_over(db, {{"orders", 0, 0, 3, 1}, {"other", 1, 7, 8, 2}});
  pg_ingest_store reader{db.config()};
  auto history = reader.look_up({{"orders", 0}, {"other", 1}, {"orders", 1}});
  REQUIRE(history);
  REQUIRE(history->size() == 3);
  std::map<partition_key, partition_history> by_place;
  for (auto& x : *history)
    by_place[x.where] = x;
  CHECK(by_place[{"other", 1}].mark->attempts == 2);
  CHECK(by_place[{"other", 1}].mark->first_offset == 7);
  CHECK_FALSE(by_place[{"orders", 1}].mark);
  // The batch is taken one by one, and the mark goes away with it.
  auto answer = store(records(0, 3));
  REQUIRE(answer);
  CHECK(answer->events == 3);
  CHECK(db.query("select topic, partition, first_offset, next_offset, attempts "
                 "from notify.ingest_suspects")
        == rows{{"other", "1", "7", "8", "2"}});
  CHECK(reader.look_up({{"orders", 0}})->front().stored_to == 3);
}

TEST_CASE_METHOD(writer_fixture,
                 "a record over which three writers died is dead-lettered and never "
                 "looked into again") {
  die_over(db, {{"orders", 0, 1, 2, 3}});
  restart();
  auto answer = store(records(0, 3));
  REQUIRE(answer);
  CHECK(answer->events == 2);
  CHECK(db.query("select \"offset\", reason, detail, event_id from notify.dead_letters")
        == rows{
            {"1", "crashed_repeatedly", "its writer or the process died 3 times over it", "NULL"}});
  CHECK(db.value("select count(*) from notify.ingest_suspects") == "0");
  auto known = pg_ingest_store{db.config()}.look_up({{"orders", 0}});
  REQUIRE(known);
  CHECK(known->front().condemned.size() == 1);
  restart();
  REQUIRE(store(records(0, 3)));
  CHECK(events() == "2");
  CHECK(db.value("select attempts from notify.dead_letters") == "2");
}

} // namespace
} // namespace notify::test
