#include "persistence/sql_error.hpp"

#include "messages/error.hpp"
#include "persistence/session.hpp"
#include "tests/support/postgres_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using test::postgres_fixture;

caf::error error_of(session& db, const std::string& sql) {
  auto result = db.run([&] {
    db.run_script(sql);
    return true;
  });
  return result ? caf::error{} : result.error();
}

TEST_CASE("SQLSTATE classes tell the caller what to do") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  session db{fixture.config(), "errors"};
  auto raised = [&](const std::string& sqlstate) {
    return error_of(db, "do $$ begin raise exception 'said so' using errcode = '" + sqlstate
                            + "'; end $$");
  };
  for (auto* x :
       {"08006", "57P01", "57P02", "57P03", "53100", "53300", "58030", "25006", "XX001", "P0001"})
    CHECK(raised(x) == ec::storage_unavailable);
  for (auto* x : {"40001", "40P01", "55P03", "57014", "25P02"})
    CHECK(raised(x) == ec::storage_conflict);
  for (auto* x : {"22021", "22P02", "23505", "23514", "54001"})
    CHECK(raised(x) == ec::storage_data);
  for (auto* x : {"42P01", "42703", "42501", "3F000"})
    CHECK(raised(x) == ec::storage_schema);
}

TEST_CASE("an error's context names the SQLSTATE and the cause, never a value") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  session db{fixture.config(), "errors"};
  CHECK_THAT(
      render(error_of(db, "select * from nowhere")),
      Catch::StartsWith(R"(storage_schema("SQLSTATE 42P01: relation \"nowhere\" does not exist)"));
  CHECK(render(error_of(db, "select 'a secret'::uuid")) == R"(storage_data("SQLSTATE 22P02"))");
  auto twice = render(error_of(db, "create temp table t (x text primary key); "
                                   "insert into t values ('a secret'), ('a secret')"));
  CHECK(twice.find("t_pkey") != std::string::npos);
  CHECK(twice.find("secret") == std::string::npos);
}

TEST_CASE("a bound value never gets into an error") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  session db{fixture.config(), "errors"};
  std::string secret = "a secret";
  auto result = db.run([&] {
    db.sql() << "select 1 from nowhere where x = :x", soci::use(secret, "x");
    return true;
  });
  REQUIRE_FALSE(result);
  CHECK(result.error() == ec::storage_schema);
  CHECK(render(result.error()).find("secret") == std::string::npos);
}

TEST_CASE("a server that cannot be reached is unavailable, and the password stays unsaid") {
  postgres_config config;
  config.url = "postgresql://someone@127.0.0.1:1/db";
  config.password = "hunter2";
  session db{config, "errors"};
  auto result = db.run([&] { return true; });
  REQUIRE_FALSE(result);
  CHECK(result.error() == ec::storage_unavailable);
  CHECK(render(result.error()).find("hunter2") == std::string::npos);
}

} // namespace
} // namespace notify
