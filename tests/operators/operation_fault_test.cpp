#include "tests/operators/populated_fixture.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <random>
#include <thread>

namespace notify::test {
namespace {

/// The fixture's database behind a proxy.
struct cut_fixture : populated_fixture {
  cut_fixture() : populated_fixture(1400) { far.url = proxy.in_front_of(db.url()); }

  /// Runs `act` and cuts all connections at some moment of it. `connect` makes the connection
  /// before: the database library leaks one that is cut off while it is being made.
  template <class Connect, class Act>
  void cut_during(Connect connect, Act act) {
    connect();
    std::thread cutter{[&] {
      std::this_thread::sleep_for(std::chrono::microseconds{random() % 4000});
      proxy.cut();
    }};
    act();
    cutter.join();
    proxy.restore();
    // The server may be at work on it still, with its locks.
    REQUIRE(eventually([this] {
      return count("pg_stat_activity where datname = current_database()"
                   " and pid <> pg_backend_pid() and xact_start is not null")
             == "0";
    }));
  }

  auto connecting(pg_operator_store& store) {
    return [&store] {
      auto nothing = store.cancel(cancel_operation{0, "ada"});
      CHECK(nothing.error() == ec::not_found);
    };
  }

  tcp_proxy proxy{port_of(db.url())};
  postgres_config far = db.config();
  std::mt19937 random{7};
};

TEST_CASE_METHOD(cut_fixture, "D-G10: a redrive that is cut off tells an error or the truth") {
  notification_filter dead;
  dead.status = "dead";
  pg_operator_store distant{far};
  std::vector<int64_t> told;
  int cuts = 0;
  for (int i = 0; i < 40; ++i)
    cut_during(connecting(distant), [&] {
      auto started = distant.start({bulk_kind::retry, dead, false, "ada"});
      if (started)
        told.push_back(started->id);
      else
        ++cuts;
    });
  // Whatever was told is there; whatever is there is on record.
  for (auto id : told)
    CHECK(count("notify.operations where id = " + std::to_string(id)) == "1");
  CHECK(count("notify.operations")
        == count("notify.audit_log where action = 'notification.retry'"));
  CHECK(told.size() + static_cast<size_t>(cuts) == 40);
  INFO("cut off " << cuts);
  CHECK(cuts > 0);
}

TEST_CASE_METHOD(cut_fixture, "D-G10: a single retry that is cut off is done with its record, or "
                              "not at all") {
  pg_operator_store distant{far};
  int done = 0;
  for (const auto& id : expected("n.status = 'dead'"))
    cut_during(connecting(distant), [&] {
      if (distant.retry({*uuid::parse(id), false, "ada"}))
        ++done;
    });
  auto retried = std::stoi(count("notify.notification_jobs where redrives = 1"));
  CHECK(retried >= done);
  CHECK(count("notify.audit_log") == std::to_string(retried));
  CHECK(count("notify.notification_jobs where redrives > 1") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(cut_fixture, "D-G9: an operation whose runner is cut off again and again does "
                              "everything once") {
  notification_filter dead;
  dead.status = "dead";
  auto wanted = expected("n.status = 'dead'").size();
  auto id = required(acts.start({bulk_kind::retry, dead, false, "ada"})).id;
  pg_operation_store distant{far};
  for (int i = 0; i < 60; ++i)
    cut_during([&] { required(distant.work({1, 1})); }, [&] { distant.work({7, 100}); });
  work_off();
  auto end = required(reads.operation(id));
  CHECK(end.status == "done");
  CHECK(end.done == wanted);
  CHECK(count("notify.notification_jobs where redrives = 1") == std::to_string(wanted));
  CHECK(count("notify.notification_jobs where redrives > 1") == "0");
  CHECK(misplaced_jobs(db) == 0);
}

} // namespace
} // namespace notify::test
