#include "tests/ingest_outages/outage_fixture.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/private_server.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>

// The whole service while PostgreSQL is away, silent, restarted, read-only or refuses one thing.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

/// What is in flight when a server goes comes back soon.
const std::vector<std::string> quick_leases{
    "--delivery.lease=8s", "--delivery.heartbeat-interval=2s", "--channel-email.deadline=2s",
    "--reaper.interval=500ms", "--reaper.reclaim-cap=1000"};

/// The service in this process, with a proxy between it and the database.
struct proxied_pipeline {
  proxied_pipeline() {
    auto config = fixture.config();
    config.postgres.url = proxy.in_front_of(fixture.db.url());
    config.postgres.statement_timeout = 1s;
    config.postgres.lock_timeout = 500ms;
    config.postgres.connect_timeout = 2s;
    // A claim whose answer was lost comes back by its lease.
    config.delivery.lease = 10s;
    config.delivery.heartbeat_interval = 2s;
    config.channels["email"].deadline = 3s;
    config.reaper.interval = 500ms;
    config.reaper.reclaim_cap = 1000;
    pipeline = std::make_unique<running_pipeline>(config);
  }

  /// Events come in all the time, so that every part has something to fail with.
  void publish(size_t count) {
    fixture.publish(fixture.events(count));
    published += count;
  }

  bool is_ready() {
    return eventually([&] { return health_of(*pipeline).ready; });
  }

  /// Every part that works with the database has noticed that it does not answer.
  bool all_noticed() {
    return eventually([&] {
      auto now = health_of(*pipeline);
      return now.live && !reason_of(now, "claims").empty() && !reason_of(now, "kafka").empty()
             && actor_of(*pipeline, actor_names::lease_reaper).status.state
                    == "waiting for storage";
    });
  }

  /// Everything that was published is sent, by the actors that were there before.
  void require_recovery() {
    REQUIRE(is_ready());
    publish(20);
    fixture.require_value(sent_jobs, std::to_string(published));
    CHECK(fixture.db.value(all_jobs) == std::to_string(published));
    CHECK(fixture.db.value(all_dead_letters) == "0");
    CHECK(
        eventually([&] { return fixture.committed_records() == static_cast<int64_t>(published); }));
    auto passes = actor_of(*pipeline, actor_names::lease_reaper).status.processed;
    CHECK(eventually([&] {
      auto now = actor_of(*pipeline, actor_names::lease_reaper).status;
      return now.processed > passes && now.state == "running";
    }));
    for (const auto& name :
         {std::string{actor_names::consumer}, std::string{actor_names::dispatcher},
          std::string{actor_names::lease_reaper}, actor_names::inbox_writer(0),
          actor_names::result_writer(0)}) {
      INFO(name);
      CHECK(actor_of(*pipeline, name).restarts == 0);
    }
  }

  pipeline_fixture fixture;
  tcp_proxy proxy{port_of(fixture.db.url())};
  std::unique_ptr<running_pipeline> pipeline;
  size_t published = 0;
};

TEST_CASE(
    "K-1: what came during a database outage is stored after it, and no offset moved before") {
  private_postgres server;
  pipeline_fixture fixture{environment("NOTIFY_TEST_KAFKA"), server.url(), 2};
  auto arguments = with(with(fixture.arguments("one"), quick_leases),
                        {"--kafka.commit-interval=100ms", "--logging.repeat-interval=0s"});
  {
    daemon victim{"notifyd", arguments};
    fixture.publish(fixture.events(10));
    fixture.require_value(sent_jobs, "10");
    REQUIRE(eventually([&] { return fixture.committed_records() == 10; }));
    server.stop();
    fixture.publish(fixture.events(100));
    // It has them, and has failed to store them more than once.
    REQUIRE(eventually([&] {
      CHECK(fixture.committed_records() == 10);
      return count_of(victim, "batch not stored") >= 4;
    }));
    victim.signal(SIGKILL);
    CHECK(victim.wait() == 128 + SIGKILL);
  }
  CHECK(fixture.committed_records() == 10);
  server.start();
  fixture.db.reconnect();
  daemon heir{"notifyd", arguments};
  fixture.require_value(sent_jobs, "110");
  CHECK(fixture.db.value(all_events) == "110");
  CHECK(fixture.db.value(all_jobs) == "110");
  CHECK(fixture.db.value(all_dead_letters) == "0");
  CHECK(eventually([&] { return fixture.committed_records() == 110; }));
}

TEST_CASE(
    "D-E1: a service that is cut off from its database says so, waits, and goes on by itself") {
  proxied_pipeline service;
  REQUIRE(service.is_ready());
  service.publish(50);
  service.proxy.cut();
  service.publish(100);
  REQUIRE(service.all_noticed());
  auto before = service.fixture.committed_records();
  service.publish(50);
  CHECK(health_of(*service.pipeline).live);
  CHECK(service.fixture.committed_records() == before);
  service.proxy.restore();
  service.require_recovery();
}

TEST_CASE("D-E3: claims that fail again and again never end the loop that makes them") {
  pipeline_fixture fixture;
  // A sequence counts although the transaction is rolled back.
  fixture.db.query("create sequence notify.refused_claims;"
                   " create function refuse_claim() returns trigger language plpgsql as $$ begin"
                   " perform nextval('notify.refused_claims'); raise exception 'no'; end $$;"
                   " create trigger refuse_claim before insert on notify.leases"
                   " for each statement execute function refuse_claim()");
  running_pipeline pipeline{fixture.config()};
  fixture.publish(fixture.events(20));
  REQUIRE(eventually([&] {
    return std::stoi(fixture.db.value("select last_value from notify.refused_claims")) >= 7;
  }));
  CHECK_FALSE(reason_of(health_of(pipeline), "claims").empty());
  fixture.db.query("drop trigger refuse_claim on notify.leases");
  fixture.require_value(sent_jobs, "20");
  CHECK(actor_of(pipeline, actor_names::dispatcher).restarts == 0);
  CHECK(eventually([&] { return health_of(pipeline).ready; }));
}

TEST_CASE("D-E4: a database that falls silent fails every call in bounded time, then all goes on") {
  proxied_pipeline service;
  REQUIRE(service.is_ready());
  service.publish(20);
  service.fixture.require_value(sent_jobs, "20");
  service.proxy.freeze();
  service.publish(20);
  REQUIRE(service.all_noticed());
  service.proxy.restore();
  service.require_recovery();
}

TEST_CASE("Q-B27: loops whose connections are dead without a word all resume without a restart") {
  proxied_pipeline service;
  REQUIRE(service.is_ready());
  service.publish(20);
  service.fixture.require_value(sent_jobs, "20");
  service.proxy.half_open();
  service.publish(20);
  REQUIRE(service.all_noticed());
  // The old connections stay silent: only new ones help.
  service.proxy.restore();
  service.require_recovery();
}

TEST_CASE("D-E4: a service whose database is silent still stops in time") {
  proxied_pipeline service;
  REQUIRE(service.is_ready());
  service.proxy.half_open();
  service.publish(20);
  REQUIRE(service.all_noticed());
  auto& running = **service.pipeline;
  running.stop();
  // The default of service.shutdown-timeout.
  CHECK(running.wait(25s));
}

TEST_CASE("Q-B28: a database that restarts ten times and then refuses writes floods no log") {
  private_postgres server;
  pipeline_fixture fixture{environment("NOTIFY_TEST_KAFKA"), server.url(), 2};
  // Every line, to see that it goes on trying; what is said must be little all the same.
  daemon program{"notifyd", with(with(fixture.arguments("one"), quick_leases),
                                 {"--logging.repeat-interval=0s"})};
  size_t published = 10;
  fixture.publish(fixture.events(published));
  fixture.require_value(sent_jobs, "10"); // It has started: a start needs the database.
  for (int i = 0; i < 10; ++i) {
    fixture.publish(fixture.events(10));
    published += 10;
    server.stop();
    server.start();
  }
  fixture.db.reconnect();
  fixture.require_value(all_events, std::to_string(published));
  fixture.db.query("alter system set default_transaction_read_only = on");
  fixture.db.query("select pg_reload_conf()");
  fixture.publish(fixture.events(10));
  published += 10;
  auto failures = count_of(program, "batch not stored");
  REQUIRE(says(program, "batch not stored", failures + 6));
  fixture.db.query("set default_transaction_read_only = off");
  fixture.db.query("alter system reset default_transaction_read_only");
  fixture.db.query("select pg_reload_conf()");
  fixture.require_value(sent_jobs, std::to_string(published));
  CHECK(program.running());
  CHECK(fixture.db.value(all_dead_letters) == "0");
  // Each event that was sent has its line; the rest is about the outages.
  auto lines = count_of(program, "\n") - count_of(program, "attempt sent");
  CAPTURE(lines);
  CHECK(lines < 500);
}

} // namespace
} // namespace notify::test
