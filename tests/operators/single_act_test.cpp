#include "tests/operators/populated_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

namespace notify::test {
namespace {

struct act_fixture : populated_fixture {
  act_fixture() : populated_fixture(70) {}

  uuid first(const std::string& status) {
    return *uuid::parse(expected("n.status = '" + status + "'").at(0));
  }

  std::string audit() {
    std::string result;
    for (const auto& row :
         db.query("select actor || ' ' || action || ' ' || target || ' ' || details "
                  "from notify.audit_log order by id"))
      result += row[0] + "\n";
    return result;
  }
};

template <class T>
std::string words(const caf::expected<T>& x) {
  return x ? "done" : render(x.error());
}

TEST_CASE_METHOD(act_fixture, "a retry answers with the notification as it is now, and is on "
                              "record") {
  auto id = first("dead");
  auto acted = required(acts.retry({id, true, "ada"}));
  CHECK(acted.notification.id == id);
  CHECK(acted.notification.status == "retry_wait");
  CHECK(acted.notification.redrives == 1);
  CHECK(acted.notification.failures == 0);
  CHECK(acted.warnings.empty());
  CHECK(audit() == "ada notification.retry " + to_string(id) + " {\"key\": \"fresh\"}\n");
}

TEST_CASE_METHOD(act_fixture, "a retry of what may have arrived, or did, warns") {
  auto id = first("dead");
  db.query("update notify.notification_jobs set unknowns = 1 where id = '" + to_string(id) + "'");
  db.query("update notify.delivery_attempts set result = 'unknown_outcome', late_result = 'sent' "
           "where job_id = '"
           + to_string(id) + "'");
  CHECK(required(acts.retry({id, false, "ada"})).warnings
        == strings{"late_success", "unknown_outcome"});
}

TEST_CASE_METHOD(act_fixture, "Q-B36: what is being sent cannot be cancelled, and the answer says "
                              "so") {
  auto id = first("processing");
  auto refused = acts.cancel(cancel_notification{id, "ada"});
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == ec::wrong_state);
  CHECK(words(refused).find("being sent right now") != std::string::npos);
  CHECK(status_of(db, id) == "processing");
  CHECK(audit().empty());
}

TEST_CASE_METHOD(act_fixture, "Q-B36: of two clicks one does it, the other is refused") {
  for (auto retried : {true, false}) {
    auto id = first(retried ? "dead" : "pending");
    std::atomic<int> done = 0, refused = 0;
    auto click = [&] {
      pg_operator_store own{db.config()};
      auto answer =
          retried ? own.retry({id, false, "ada"}) : own.cancel(cancel_notification{id, "ada"});
      if (answer)
        ++done;
      else if (answer.error() == ec::wrong_state)
        ++refused;
    };
    std::thread one{click}, two{click};
    one.join();
    two.join();
    CHECK(done == 1);
    CHECK(refused == 1);
  }
  CHECK(count("notify.audit_log") == "2");
}

TEST_CASE_METHOD(act_fixture, "Q-B36: an exhausted notification is retried with all its budgets") {
  auto id = first("dead");
  db.query("update notify.notification_jobs set failures = 6, reclaims = 5, attempt_count = 11 "
           "where id = '"
           + to_string(id) + "'");
  REQUIRE(acts.retry({id, false, "ada"}));
  CHECK(job_row(id, "failures, reclaims, next_attempt_no") == strings{"0", "0", "12"});
}

TEST_CASE_METHOD(act_fixture, "what does not exist is told apart from what cannot be done") {
  auto unknown = acts.retry({uuid::random(), false, "ada"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error() == ec::not_found);
  auto sent = acts.retry({first("sent"), false, "ada"});
  REQUIRE_FALSE(sent);
  CHECK(sent.error() == ec::wrong_state);
  CHECK(words(sent).find("this one is sent") != std::string::npos);
}

TEST_CASE_METHOD(act_fixture, "an act whose record cannot be written is not done") {
  auto id = first("dead");
  db.query("alter table notify.audit_log add check (actor <> 'eve')");
  CHECK_FALSE(acts.retry({id, false, "eve"}));
  CHECK(status_of(db, id) == "dead");
  CHECK_FALSE(
      acts.start({bulk_kind::retry, {"dead", "", "", "", "", "", "", {}, {}, {}}, false, "eve"}));
  CHECK(count("notify.operations") == "0");
  CHECK_FALSE(acts.set_paused({"email", true, "eve"}));
  CHECK(count("notify.channel_pauses") == "0");
}

TEST_CASE_METHOD(act_fixture, "a pause holds for all claims, is on record, and is told") {
  CHECK(required(acts.set_paused({"email", true, "ada"})).changed);
  CHECK_FALSE(required(acts.set_paused({"email", true, "ada"})).changed);
  CHECK(claims.claim("email", 5, 60s)->empty());
  auto pauses = required(reads.pauses());
  REQUIRE(pauses.items.size() == 1);
  CHECK(pauses.items[0].paused_by == "ada");
  CHECK(pauses.items[0].paused_us > 0);
  CHECK(required(acts.set_paused({"email", false, "bob"})).changed);
  CHECK(claims.claim("email", 5, 60s)->size() == 5);
  CHECK(audit() == "ada channel.pause email {}\nbob channel.resume email {}\n");
}

TEST_CASE_METHOD(act_fixture, "the audit log is listed newest first, by actor, action and target") {
  for (int i = 0; i < 7; ++i)
    REQUIRE_FALSE(acts.announce(i % 2 == 0 ? "ada" : "bob", "a." + std::to_string(i % 3),
                                "t" + std::to_string(i), R"({"n":9007199254740993})"));
  auto ids = [&](list_audit question) {
    std::string result;
    do {
      auto page = required(reads.audit(question));
      for (const auto& x : page.items)
        result += x.target;
      question.cursor = page.next;
    } while (!question.cursor.empty());
    return result;
  };
  CHECK(ids({"", "", "", 2, ""}) == "t6t5t4t3t2t1t0");
  CHECK(ids({"ada", "", "", 2, ""}) == "t6t4t2t0");
  CHECK(ids({"", "a.1", "", 1, ""}) == "t4t1");
  CHECK(ids({"ada", "a.0", "t6", 50, ""}) == "t6");
  CHECK(ids({"eve", "", "", 50, ""}).empty());
  CHECK(required(reads.audit({"", "", "", 1, ""})).items.at(0).details
        == R"({"n": 9007199254740993})");
}

} // namespace
} // namespace notify::test
