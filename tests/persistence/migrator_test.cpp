#include "persistence/migrator.hpp"

#include "messages/error.hpp"
#include "tests/support/postgres_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

namespace notify {
namespace {

using test::postgres_fixture;

constexpr auto empty = postgres_fixture::schema::empty;

TEST_CASE("migrate brings an empty database to this binary's version, once") {
  postgres_fixture fixture{empty};
  auto latest = static_cast<int32_t>(embedded_migrations().size());
  auto before = schema_state(fixture.config());
  REQUIRE(before);
  CHECK(before->version == 0);
  CHECK(before->wanted == latest);
  auto first = migrate(fixture.config());
  REQUIRE(first);
  CHECK(first->from == 0);
  CHECK(first->to == latest);
  CHECK(first->applied.size() == static_cast<size_t>(latest));
  CHECK(first->applied.front() == "0001_initial");
  auto second = migrate(fixture.config());
  REQUIRE(second);
  CHECK(second->from == latest);
  CHECK(second->applied.empty());
  auto after = schema_state(fixture.config());
  REQUIRE(after);
  CHECK(after->version == latest);
}

TEST_CASE("migrations are numbered without gaps") {
  int32_t expected = 1;
  for (auto& x : embedded_migrations()) {
    CHECK(x.version == expected++);
    CHECK(x.checksum.size() == 64);
  }
}

TEST_CASE("processes that start together migrate once") {
  postgres_fixture fixture{empty};
  std::atomic<size_t> applied{0}, failed{0};
  {
    std::vector<std::jthread> processes;
    for (int i = 0; i < 4; ++i)
      processes.emplace_back([&] {
        if (auto report = migrate(fixture.config()))
          applied += report->applied.size();
        else
          ++failed;
      });
  }
  CHECK(failed == 0);
  CHECK(applied == embedded_migrations().size());
}

TEST_CASE("a database newer than the binary is refused") {
  postgres_fixture fixture;
  fixture.query("insert into notify.schema_migrations (version, name, checksum) "
                "values (9999, 'from_the_future', '')");
  auto report = migrate(fixture.config());
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_schema);
  CHECK(render(report.error()).find("9999 (from_the_future)") != std::string::npos);
  auto state = schema_state(fixture.config());
  REQUIRE_FALSE(state);
  CHECK(state.error() == ec::storage_schema);
}

TEST_CASE("a migration that changed after it was applied is refused") {
  postgres_fixture fixture;
  fixture.query("update notify.schema_migrations set checksum = 'other' where version = 1");
  auto report = migrate(fixture.config());
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_schema);
}

TEST_CASE("a migration that fails leaves nothing behind, and the ones before it stay") {
  postgres_fixture fixture{empty};
  const migration some[] = {
      {1, "good", "c1", "create table notify.one (x int);"},
      {2, "bad", "c2", "create table notify.two (x int); create table notify.one (x int);"}};
  auto report = migrate(fixture.config(), some);
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_schema);
  CHECK(fixture.value("select to_regclass('notify.two')") == "NULL");
  CHECK(fixture.value("select max(version) from notify.schema_migrations") == "1");
  const migration mended[] = {some[0], {2, "mended", "c3", "create table notify.two (x int);"}};
  auto again = migrate(fixture.config(), mended);
  REQUIRE(again);
  CHECK(again->from == 1);
  CHECK(again->applied == std::vector<std::string>{"0002_mended"});
}

TEST_CASE("a migration without a transaction builds indexes while others wait for their turn") {
  postgres_fixture fixture{empty};
  const migration some[] = {
      {1, "table", "c1",
       "create table notify.one (x int, y text); insert into notify.one select "
       "g, 'it''s: a text' from generate_series(1, 20000) g;"},
      {2, "index", "c2",
       "-- no-transaction\n"
       "drop index concurrently if exists notify.one_x;\n"
       "create index concurrently one_x on notify.one (x);\n"}};
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> processes;
    for (int i = 0; i < 3; ++i)
      processes.emplace_back([&] {
        if (!migrate(fixture.config(), some))
          ++failed;
      });
  }
  CHECK(failed == 0);
  CHECK(fixture.value("select indisvalid from pg_index where indexrelid = 'notify.one_x'::regclass")
        == "t");
}

TEST_CASE("a database that cannot hold every text is refused") {
  postgres_fixture fixture{empty};
  auto other = fixture.name() + "_ascii";
  fixture.query("create database " + other + " template template0 encoding 'SQL_ASCII' locale 'C'");
  auto config = fixture.config();
  config.url.replace(config.url.find(fixture.name()), fixture.name().size(), other);
  auto report = migrate(config);
  fixture.query("drop database " + other + " with (force)");
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_schema);
}

} // namespace
} // namespace notify
