#include "actors/dead_letter_desk.hpp"
#include "messages/error.hpp"
#include "persistence/pg_dead_letter_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "tests/support/postgres_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify::test {
namespace {

struct letters_fixture {
  letters_fixture() {
    db.query("insert into notify.dead_letters (topic, partition, \"offset\", timestamp_ms, key, "
             "value, header_names, header_values, reason, detail, published_at) select "
             "case when g % 2 = 0 then 'orders' else 'others' end, 0, g, 1, 'k', "
             "convert_to(repeat('x', g), 'UTF8'), array['\\xff'::bytea, 'b'], "
             "array[null, 'v'::bytea], case when g % 7 = 0 then 'rare' else 'not_json' end, 'd', "
             "case when g % 3 = 0 then now() end from generate_series(1, 100) g");
  }

  std::vector<int64_t> ids(list_dead_letters question) {
    std::vector<int64_t> result;
    do {
      auto page = list_letters(store, question);
      REQUIRE(page);
      CHECK(page->items.size() <= question.limit);
      for (const auto& x : page->items)
        result.push_back(x.id);
      question.cursor = page->next;
    } while (!question.cursor.empty());
    return result;
  }

  std::vector<int64_t> expected(const std::string& condition) {
    std::vector<int64_t> result;
    for (const auto& row :
         db.query("select id from notify.dead_letters where " + condition + " order by id desc"))
      result.push_back(std::stoll(row[0]));
    return result;
  }

  postgres_fixture db;
  pg_dead_letter_store store{db.config()};
};

TEST_CASE_METHOD(letters_fixture, "dead letters are listed newest first, in pages, by every "
                                  "filter") {
  list_dead_letters all;
  for (auto limit : {1u, 7u, 100u, 200u}) {
    all.limit = limit;
    CHECK(ids(all) == expected("true"));
  }
  list_dead_letters rare, topic, published, both;
  rare.limit = topic.limit = published.limit = both.limit = 3;
  rare.reason = "rare";
  topic.topic = "orders";
  published.published = false;
  both.reason = "rare";
  both.published = true;
  CHECK(ids(rare) == expected("reason = 'rare'"));
  CHECK(ids(topic) == expected("topic = 'orders'"));
  CHECK(ids(published) == expected("published_at is null"));
  CHECK(ids(both) == expected("reason = 'rare' and published_at is not null"));
  rare.reason = "none";
  CHECK(ids(rare).empty());
}

TEST_CASE_METHOD(letters_fixture, "a cursor of other dead letters is refused") {
  list_dead_letters all;
  all.limit = 5;
  all.cursor = list_letters(store, all)->next;
  all.reason = "rare";
  auto page = list_letters(store, all);
  REQUIRE_FALSE(page);
  CHECK(page.error() == ec::invalid_request);
}

TEST_CASE_METHOD(letters_fixture, "a dead letter is shown with its bytes, as far as they go") {
  auto id = expected("true").front(); // Its value has 100 bytes.
  auto shown = show_letter(store, id, 60, 1);
  REQUIRE(shown);
  CHECK(shown->line.value_bytes == int64_t{100});
  CHECK(shown->record.value.bytes == std::string(60, 'x'));
  CHECK(shown->record.key.bytes == "k");
  REQUIRE(shown->record.headers.size() == 1);
  CHECK(shown->record.headers[0].name == "\xff");
  CHECK_FALSE(shown->record.headers[0].value.present);
  CHECK(shown->line.headers == 2);
  auto nothing = show_letter(store, id + 1, 60, 1);
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error() == ec::not_found);
}

TEST_CASE_METHOD(letters_fixture, "a replay tells what came of it") {
  pg_ingest_store inbox{db.config()};
  replay_rules rules{std::make_shared<const routing_table>(), {}};
  auto id = expected("true").front();
  auto dry = replay_letter(store, inbox, rules, id, true);
  REQUIRE(dry);
  CHECK(dry->result == "refused");
  CHECK_FALSE(dry->reason.empty());
  CHECK(db.value("select sum(replays) from notify.dead_letters") == "0");
  auto real = replay_letter(store, inbox, rules, id, false);
  REQUIRE(real);
  CHECK(real->result == "refused");
  CHECK(db.value("select sum(replays) from notify.dead_letters") == "1");
  db.query("update notify.dead_letters set replayed_at = now()");
  auto settled = replay_letter(store, inbox, rules, id, false);
  REQUIRE_FALSE(settled);
  CHECK(settled.error() == ec::wrong_state);
  auto unknown = replay_letter(store, inbox, rules, id + 1, false);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error() == ec::not_found);
}

} // namespace
} // namespace notify::test
