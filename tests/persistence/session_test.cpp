#include "persistence/session.hpp"

#include "messages/error.hpp"
#include "tests/support/postgres_fixture.hpp"
#include "tests/support/tcp_proxy.hpp"

#include <catch2/catch.hpp>

#include <soci/postgresql/soci-postgresql.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::postgres_fixture;

std::string setting(session& db, const std::string& name) {
  auto result = db.run([&] {
    std::string value;
    db.sql() << "select current_setting(:n)", soci::use(name, "n"), soci::into(value);
    return value;
  });
  return result ? *result : render(result.error());
}

struct count_rows {
  int count = 0;
  soci::statement statement;
  explicit count_rows(soci::session& sql)
      : statement((sql.prepare << "select count(*) from t", soci::into(count))) {}
};

TEST_CASE("a session brings its own settings, whatever the database's are") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  auto name = fixture.name();
  fixture.query("alter database " + name + " set timezone = 'Pacific/Apia'");
  fixture.query("alter database " + name + " set synchronous_commit = off");
  fixture.query("alter database " + name + " set default_transaction_isolation = 'serializable'");
  auto config = fixture.config();
  config.statement_timeout = 7s;
  config.lock_timeout = 3s;
  session db{config, "settings"};
  CHECK(setting(db, "timezone") == "UTC");
  CHECK(setting(db, "synchronous_commit") == "on");
  CHECK(setting(db, "transaction_isolation") == "read committed");
  CHECK(setting(db, "statement_timeout") == "7s");
  CHECK(setting(db, "lock_timeout") == "3s");
  CHECK(setting(db, "idle_in_transaction_session_timeout") == "30s");
  CHECK(setting(db, "jit") == "off");
  CHECK(setting(db, "application_name") == "test/settings");
  CHECK(setting(db, "enable_seqscan") == "off");
  session other{config, "other", planner::free};
  CHECK(setting(other, "enable_seqscan") == "on");
}

TEST_CASE("the commit of a transaction in which an error was swallowed fails") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  fixture.query("create table t (x int primary key)");
  session db{fixture.config(), "trap"};
  auto result = run_transaction(db, [&] {
    db.sql() << "insert into t values (1)";
    try {
      db.sql() << "insert into t values (1)";
    } catch (const soci::soci_error&) {
      // What a careless author might do.
    }
    return true;
  });
  REQUIRE_FALSE(result);
  CHECK(result.error() == ec::storage_conflict);
  CHECK(fixture.value("select count(*) from t") == "0");
  auto next = run_transaction(db, [&] {
    db.sql() << "insert into t values (2)";
    return true;
  });
  CHECK(next);
  CHECK(fixture.value("select x from t") == "2");
}

TEST_CASE("a transaction is left by rollback on every error, also on a bug") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  fixture.query("create table t (x int primary key)");
  session db{fixture.config(), "rollback"};
  auto insert_then = [&](auto fail) {
    return run_transaction(db, [&] {
      db.sql() << "insert into t values (1)";
      fail();
      return true;
    });
  };
  CHECK_FALSE(insert_then([] { throw refused_value{"no"}; }));
  CHECK_THROWS_AS(insert_then([] { throw std::logic_error{"bug"}; }), std::logic_error);
  CHECK(fixture.value("select count(*) from t") == "0");
  CHECK(insert_then([] {}));
  CHECK(fixture.value("select count(*) from t") == "1");
}

TEST_CASE("a connection that ended while idle is replaced without an error") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  fixture.query("create table t (x int)");
  session db{fixture.config(), "idle"};
  auto count = [&] {
    return db.run([&] {
      auto& x = db.prepared<count_rows>();
      x.statement.execute(true);
      return x.count;
    });
  };
  REQUIRE(count());
  REQUIRE(fixture.terminate("idle") == 1);
  CHECK(count());
}

TEST_CASE("prepared statements survive a change of their table") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  fixture.query("create table t (x int); insert into t values (1)");
  session db{fixture.config(), "plans"};
  auto count = [&] {
    return db.run([&] {
      auto& x = db.prepared<count_rows>();
      x.statement.execute(true);
      return x.count;
    });
  };
  REQUIRE(count());
  fixture.query("drop table t");
  auto gone = count();
  REQUIRE_FALSE(gone);
  CHECK(gone.error() == ec::storage_schema);
  fixture.query("create table t (x text, y int); insert into t values ('a'), ('b')");
  auto back = count();
  REQUIRE(back);
  CHECK(*back == 2);
}

TEST_CASE("time-outs are conflicts, and the session goes on") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  fixture.query("create table t (x int); insert into t values (1)");
  auto config = fixture.config();
  config.lock_timeout = 50ms;
  config.statement_timeout = 200ms;
  session db{config, "slow"};
  auto run = [&](const std::string& sql) {
    return db.run([&] {
      db.sql() << sql;
      return true;
    });
  };
  auto slow = run("select pg_sleep(600)");
  REQUIRE_FALSE(slow);
  CHECK(slow.error() == ec::storage_conflict);
  test::raw_connection other{fixture.url()};
  other.query("begin; update t set x = 2");
  auto locked = run("update t set x = 3");
  REQUIRE_FALSE(locked);
  CHECK(locked.error() == ec::storage_conflict);
  other.query("commit");
  CHECK(run("update t set x = 3"));
}

TEST_CASE("Q-B27: a server that falls silent in a call fails it in twice the statement's time") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  test::tcp_proxy proxy{test::port_of(fixture.url())};
  auto config = fixture.config();
  config.url = proxy.in_front_of(fixture.url());
  config.statement_timeout = 500ms;
  session db{config, "silent"};
  auto ask = [&] {
    return db.run([&] {
      int value = 0;
      db.sql() << "select 1", soci::into(value);
      return value;
    });
  };
  REQUIRE(ask());
  SECTION("within a statement") {
    proxy.half_open();
  }
  SECTION("while it connects") {
    db.disconnect();
    proxy.half_open();
  }
  auto silent = ask();
  REQUIRE_FALSE(silent);
  CHECK(silent.error() == ec::storage_unavailable);
  proxy.restore();
  auto back = ask();
  REQUIRE(back);
  CHECK(*back == 1);
}

TEST_CASE("Q-B27: a session with prepared statements ends although the server is silent") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  fixture.query("create table t (x int)");
  test::tcp_proxy proxy{test::port_of(fixture.url())};
  auto config = fixture.config();
  config.url = proxy.in_front_of(fixture.url());
  config.statement_timeout = 500ms;
  auto db = std::make_unique<session>(config, "ending");
  REQUIRE(db->run([&] {
    auto& x = db->prepared<count_rows>();
    x.statement.execute(true);
    return x.count;
  }));
  proxy.half_open();
  db.reset(); // That it comes back from here is the test.
  CHECK(fixture.value("select 1") == "1");
}

TEST_CASE("an observer sees a session's connections and calls, failed ones too") {
  struct record : session_observer {
    void on_connected() override { ++connected; }
    void on_disconnected() override { ++disconnected; }
    void on_connect_failed() override { ++unconnected; }
    void on_call(caf::timespan took, bool failed) override {
      ++calls;
      failures += failed ? 1 : 0;
      longest = std::max(longest, took);
    }
    int connected = 0, disconnected = 0, unconnected = 0, calls = 0, failures = 0;
    caf::timespan longest{0};
  };
  postgres_fixture fixture{postgres_fixture::schema::empty};
  auto seen = std::make_shared<record>();
  auto config = fixture.config();
  config.observers = [&](const std::string& role) {
    CHECK(role == "claim");
    return seen;
  };
  {
    session db{config, "claim"};
    auto run = [&](const char* sql) { return db.run([&] { return db.sql() << sql, true; }); };
    CHECK(run("select pg_sleep(0.05)"));
    CHECK(seen->longest >= 50ms);
    CHECK_FALSE(run("select 1 from nowhere"));
    CHECK(seen->connected == 1);
    CHECK(seen->disconnected == 0);
    fixture.terminate("claim");
    CHECK(run("select 1"));
    CHECK(seen->connected == 2);
    CHECK(seen->disconnected == 1);
  }
  CHECK(seen->disconnected == 2);
  CHECK(seen->calls == 3);
  CHECK(seen->failures == 1);
  config.url = "postgresql://127.0.0.1:1/nobody";
  session nowhere{config, "claim"};
  CHECK_FALSE(nowhere.run([] { return true; }));
  CHECK(seen->unconnected == 1);
  CHECK(seen->calls == 3);
}

TEST_CASE("odd application names and passwords arrive as they are") {
  postgres_fixture fixture{postgres_fixture::schema::empty};
  auto config = fixture.config();
  config.application_name = "it's a=b \"c\" 100%";
  config.password = " p=w' \\ ";
  session db{config, "x"};
  CHECK(setting(db, "application_name") == config.application_name + "/x");
}

} // namespace
} // namespace notify
