#include "tests/dead_letters/store_fixture.hpp"

#include <chrono>

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;

using strings = std::vector<std::string>;

std::vector<int64_t> ids_of(const std::vector<letter_info>& letters) {
  std::vector<int64_t> result;
  for (const auto& x : letters)
    result.push_back(x.id);
  return result;
}

TEST_CASE_METHOD(letter_store_fixture, "a dead letter is read back byte by byte") {
  auto odd = sample_letter(1);
  auto tombstone = text_letter(2, "");
  tombstone.record.value = {};
  tombstone.record.key = {};
  tombstone.record.headers = {{"", {true, ""}}};
  auto empty = text_letter(3, "");
  empty.info.event_id = uuid::random();
  add({odd, tombstone, empty});
  auto read = letters.load({3, 1, 2, 99});
  REQUIRE(read);
  REQUIRE(read->size() == 3);
  CHECK(read->at(0).record == odd.record);
  CHECK(read->at(1).record == tombstone.record);
  CHECK(read->at(2).record == empty.record);
  const auto& info = read->at(0).info;
  CHECK(info.id == 1);
  CHECK(info.reason == "not_json");
  CHECK(info.detail == "at byte 1");
  CHECK(info.attempts == 1);
  CHECK(info.first_failed_us > 0);
  CHECK_FALSE(info.published_us);
  CHECK_FALSE(info.replayed_us);
  CHECK(info.value_bytes == 3);
  CHECK(info.headers == 3);
  CHECK_FALSE(read->at(1).info.value_bytes);
  CHECK_FALSE(read->at(1).info.key_bytes);
  CHECK(read->at(2).info.event_id == empty.info.event_id);
}

TEST_CASE_METHOD(letter_store_fixture, "the relay reads by id, bounded by letters and by bytes") {
  for (int64_t id = 1; id <= 6; ++id)
    add({text_letter(id, std::string(100, 'x'))});
  auto some = [&](int64_t after, letter_batch_size size) {
    auto batch = letters.next_unpublished(after, size, 60s);
    REQUIRE(batch);
    CHECK_FALSE(batch->standby);
    std::vector<int64_t> result;
    for (const auto& x : batch->letters)
      result.push_back(x.info.id);
    return result;
  };
  CHECK(some(0, {4, 10'000}) == std::vector<int64_t>{1, 2, 3, 4});
  CHECK(some(4, {4, 10'000}) == std::vector<int64_t>{5, 6});
  CHECK(some(0, {4, 250}) == std::vector<int64_t>{1, 2});
  // One that is too large alone is still taken.
  CHECK(some(0, {4, 10}) == std::vector<int64_t>{1});
  auto marked = letters.mark_published({{1, ""}, {3, "too_large"}});
  REQUIRE(marked);
  CHECK(*marked == 2);
  CHECK(some(0, {10, 10'000}) == std::vector<int64_t>{2, 4, 5, 6});
  CHECK(row(1, "published_at is not null, publish_note") == strings{"t", "NULL"});
  CHECK(row(3, "published_at is not null, publish_note") == strings{"t", "too_large"});
  auto again = letters.mark_published({{1, "too_large"}, {2, ""}});
  REQUIRE(again);
  CHECK(*again == 1);
  CHECK(row(1, "publish_note") == strings{"NULL"});
}

TEST_CASE_METHOD(letter_store_fixture, "of several relays one publishes, until its lease is over") {
  pg_dead_letter_store other{db.config()};
  auto asks = [](pg_dead_letter_store& store) {
    auto batch = store.next_unpublished(0, {}, 60s);
    REQUIRE(batch);
    return *batch;
  };
  // Without letters nobody needs a lease.
  CHECK_FALSE(asks(letters).standby);
  CHECK(db.value("select count(*) from notify.relay_leases") == "0");
  add({text_letter(1, "x")});
  CHECK(asks(letters).letters.size() == 1);
  CHECK(asks(other).standby);
  CHECK(asks(letters).letters.size() == 1);
  REQUIRE_FALSE(other.release());
  CHECK(asks(other).standby);
  REQUIRE_FALSE(letters.release());
  CHECK(asks(other).letters.size() == 1);
  CHECK(asks(letters).standby);
  db.query("update notify.relay_leases set lease_until = now() - interval '1 second'");
  CHECK(asks(letters).letters.size() == 1);
}

TEST_CASE_METHOD(letter_store_fixture, "the relay's read leaves no transaction open") {
  add({text_letter(1, "x")});
  REQUIRE(letters.next_unpublished(0, {}, 60s));
  CHECK(db.value("select count(*) from pg_stat_activity where datname = current_database() and "
                 "application_name = 'test/letters' and state <> 'idle'")
        == "0");
}

TEST_CASE_METHOD(letter_store_fixture, "unpublished letters are found by their index") {
  db.query("insert into notify.dead_letters (topic, partition, \"offset\", timestamp_ms, "
           "header_names, header_values, reason, detail, published_at) select 't', 0, g, 0, '{}', "
           "'{}', 'r', 'd', now() from generate_series(1, 20000) g");
  add({text_letter(1, "x")});
  db.query("set enable_seqscan = off; set enable_bitmapscan = off");
  std::string plan;
  for (const auto& line :
       db.query("explain select * from notify.dead_letters where published_at is "
                "null and id > 0 order by id limit 500"))
    plan += line.at(0) + "\n";
  INFO(plan);
  CHECK(plan.find("dead_letters_unpublished") != std::string::npos);
}

TEST_CASE_METHOD(letter_store_fixture, "a list is filtered and goes by id, either way") {
  for (int64_t id = 1; id <= 4; ++id)
    add({text_letter(id, "x")});
  auto other = text_letter(5, "x");
  other.record.topic = "payments";
  other.info.reason = "tombstone";
  add({other});
  db.query("update notify.dead_letters set first_failed_at = '2026-09-01T12:00:00Z'::timestamptz + "
           "id * interval '1 hour'");
  REQUIRE(letters.mark_published({{2, ""}}));
  db.query("update notify.dead_letters set replayed_at = now(), replay_result = 'stored' "
           "where id = 3");
  auto list = [&](const letter_filter& filter, const letter_page& page = {}) {
    auto result = letters.list(filter, page);
    REQUIRE(result);
    return ids_of(*result);
  };
  using ids = std::vector<int64_t>;
  letter_filter filter;
  CHECK(list(filter) == ids{1, 2, 3, 4, 5});
  letter_page page;
  page.newest_first = true;
  page.limit = 2;
  CHECK(list(filter, page) == ids{5, 4});
  page.before_id = 4;
  CHECK(list(filter, page) == ids{3, 2});
  page = {};
  page.after_id = 3;
  CHECK(list(filter, page) == ids{4, 5});
  filter.reason = "tombstone";
  CHECK(list(filter) == ids{5});
  filter = {};
  filter.topic = "orders";
  CHECK(list(filter) == ids{1, 2, 3, 4});
  filter = {};
  filter.published = true;
  CHECK(list(filter) == ids{2});
  filter.published = false;
  filter.replayed = false;
  CHECK(list(filter) == ids{1, 4, 5});
  filter = {};
  filter.from_us = 1'788'264'000'000'000 + 2 * 3'600'000'000; // 14:00
  CHECK(list(filter) == ids{2, 3, 4, 5});
  filter.to_us = *filter.from_us + 3'600'000'000;
  CHECK(list(filter) == ids{2});
  CHECK(*letters.last_id() == 5);
}

} // namespace
} // namespace notify
