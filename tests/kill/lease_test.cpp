#include "tests/kill/kill_fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>

// Leases that end too early: refused settings, a frozen process, a process cut off from the
// database, a shutdown that takes longer than a lease.

namespace notify::test {
namespace {

constexpr auto sent_jobs = "select count(*) from notify.notifications where status = 'sent'";
constexpr auto hold_first = R"([{"match": {"attempt": 1}, "action": {"do": "hold"}}])";

/// Makes the database grant leases of a second only, whatever a process asks for: its settings
/// must exceed the deadline, so that no send could be longer than its lease otherwise.
void shorten_leases(kill_fixture& fixture) {
  fixture.db.query(
      "create function notify.shorten() returns trigger language plpgsql as $$ begin"
      " new.lease_until := least(new.lease_until, now() + interval '1 second'); return new;"
      " end $$;"
      "create trigger shorten before insert or update on notify.leases"
      " for each row execute function notify.shorten()");
}

const std::vector<std::string> patient{"--channel-email.deadline=60s", "--delivery.lease=70s",
                                       "--delivery.heartbeat-interval=200ms"};

std::vector<std::string> with(std::vector<std::string> some, const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// The attempts of the first job as "number result late_result".
std::vector<std::string> attempts(kill_fixture& fixture) {
  std::vector<std::string> result;
  for (const auto& row : fixture.db.query("select attempt_no || ' ' || result ||"
                                          " coalesce(' ' || late_result, '')"
                                          " from notify.delivery_attempts where job_id in"
                                          " (select id from notify.notification_jobs"
                                          "  order by created_at limit 1) order by 1"))
    result.push_back(row[0]);
  return result;
}

/// Waits until the one send has been in flight for three of the database's leases.
void outlive_three_leases(kill_fixture& fixture) {
  fixture.require_value("select count(*) from notify.leases"
                        " where now() - claimed_at > interval '3 seconds' and lease_until > now()",
                        "1");
}

TEST_CASE("D-A4: a lease that a send could outlive is refused at the start") {
  kill_fixture fixture;
  auto program = fixture.start("one", {"--delivery.lease=2s", "--delivery.heartbeat-interval=500ms",
                                       "--channel-email.deadline=5s"});
  CHECK(program.wait() == 2);
  CHECK(program.output().find("delivery.lease (2s) must exceed channel-email.deadline (5s)")
        != std::string::npos);
}

TEST_CASE("Q-B2: a send that takes three leases happens once, because they are renewed") {
  kill_fixture fixture;
  shorten_leases(fixture);
  fixture.seed(1);
  fixture.provider.set_script(hold_first);
  auto sender = fixture.start("sender", patient);
  REQUIRE(eventually([&] { return fixture.provider.waiting() == 1; }));
  // Somebody else who would take it if it were free.
  auto other = fixture.start("other", patient);
  outlive_three_leases(fixture);
  fixture.provider.release();
  fixture.require_value(sent_jobs, "1");
  CHECK(attempts(fixture) == std::vector<std::string>{"1 sent"});
  CHECK(fixture.provider.records().size() == 1);
  fixture.check_invariants();
}

TEST_CASE("D-A4: a process that was frozen past its lease changes nothing when it wakes up") {
  struct late_end {
    const char* script;
    std::vector<std::string> wanted;
    size_t accepted;
  };
  auto success = late_end{hold_first, {"1 abandoned sent", "2 sent"}, 2};
  auto failure = late_end{R"([{"match": {"attempt": 1},
                              "action": {"do": "wait", "reply": "554 5.7.1 Refused"}}])",
                          {"1 abandoned", "2 sent"},
                          1};
  for (const auto& late : {success, failure}) {
    INFO(late.script);
    kill_fixture fixture;
    fixture.seed(1);
    fixture.provider.set_script(late.script);
    auto frozen = fixture.start("frozen", patient);
    REQUIRE(eventually([&] { return fixture.provider.waiting() == 1; }));
    frozen.signal(SIGSTOP);
    // Its lease would last more than a minute; nobody who stands still renews it.
    fixture.db.query("update notify.leases set lease_until = now() - interval '1 second'");
    {
      auto heir = fixture.start("heir");
      fixture.require_value(sent_jobs, "1");
      heir.signal(SIGTERM);
      CHECK(heir.wait() == 0);
    }
    auto job = fixture.db.query("select * from notify.notification_jobs");
    fixture.provider.set_script("[]");
    fixture.provider.release();
    frozen.signal(SIGCONT);
    // It lives and works on; its orderly end waits for what its workers have to say.
    fixture.seed(1);
    fixture.require_value(sent_jobs, "2");
    frozen.signal(SIGTERM);
    CHECK(frozen.wait() == 0);
    CHECK(attempts(fixture) == late.wanted);
    CHECK(fixture.db.query("select * from notify.notification_jobs order by created_at limit 1")
          == job);
    fixture.check_invariants();
    CHECK(fixture.accepted().at(job[0][0]) == late.accepted);
  }
}

TEST_CASE("D-A1: connections to the database that die during a send are made again, and the "
          "result is recorded") {
  kill_fixture fixture;
  shorten_leases(fixture);
  fixture.seed(1);
  fixture.provider.set_script(hold_first);
  auto program = fixture.start("one", patient);
  REQUIRE(eventually([&] { return fixture.provider.waiting() == 1; }));
  CHECK(fixture.terminate("one") > 0);
  outlive_three_leases(fixture);
  CHECK(fixture.terminate("one") > 0);
  fixture.provider.release();
  fixture.require_value(sent_jobs, "1");
  CHECK(attempts(fixture) == std::vector<std::string>{"1 sent"});
  CHECK(fixture.provider.records().size() == 1);
  fixture.check_invariants();
}

/// A login of its own, so that one process can be cut off from the database and another not.
class login {
public:
  explicit login(postgres_fixture& db) : db_(db), name_(db.name() + "_cut_off") {
    db_.query("create role " + name_ + " superuser login");
  }

  ~login() {
    db_.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = '" + name_
              + "'; drop role " + name_);
  }

  login(const login&) = delete;
  login& operator=(const login&) = delete;

  void allow(bool on) { db_.query("alter role " + name_ + (on ? " login" : " nologin")); }

  /// The fixture's URL with this user.
  std::string url() const {
    auto result = db_.url();
    auto begin = result.find("://") + 3;
    auto at = result.find('@', begin);
    result.replace(begin, at == std::string::npos ? 0 : at - begin,
                   at == std::string::npos ? name_ + '@' : name_);
    return result;
  }

private:
  postgres_fixture& db_;
  std::string name_;
};

TEST_CASE("D-A1: what a process that lost its database had sent is sent again by another, and its "
          "own late success counts") {
  kill_fixture fixture;
  fixture.seed(1);
  fixture.provider.set_script(hold_first);
  login own{fixture.db};
  auto lost = fixture.start("lost", with(patient, {"--postgres.url=" + own.url()}));
  REQUIRE(eventually([&] { return fixture.provider.waiting() == 1; }));
  own.allow(false);
  CHECK(fixture.terminate("lost") > 0);
  // It hears the provider's yes and can tell nobody.
  fixture.provider.release();
  REQUIRE(await_message(lost, "storage failed, results are kept"));
  fixture.db.query("update notify.leases set lease_until = now() - interval '1 second'");
  {
    auto heir = fixture.start("heir");
    fixture.require_value(sent_jobs, "1");
    heir.signal(SIGTERM);
    CHECK(heir.wait() == 0);
  }
  own.allow(true);
  fixture.require_value("select count(*) from notify.delivery_attempts where late_result = 'sent'",
                        "1");
  CHECK(attempts(fixture) == std::vector<std::string>{"1 abandoned sent", "2 sent"});
  lost.signal(SIGTERM);
  CHECK(lost.wait() == 0);
  fixture.check_invariants();
  auto mails = fixture.provider.tallies();
  REQUIRE(mails.size() == 1);
  CHECK(mails[0].accepted == 2);
}

TEST_CASE("Q-B4: a stop that waits longer than a lease keeps it alive, and the job "
          "ends once") {
  kill_fixture fixture;
  shorten_leases(fixture);
  fixture.seed(1);
  fixture.provider.set_script(hold_first);
  auto stopping = fixture.start("stopping", with(patient, {"--delivery.drain-timeout=60s",
                                                           "--service.shutdown-timeout=120s"}));
  REQUIRE(eventually([&] { return fixture.provider.waiting() == 1; }));
  auto other = fixture.start("other", patient);
  stopping.signal(SIGTERM);
  REQUIRE(await_message(stopping, "stopping"));
  outlive_three_leases(fixture);
  fixture.provider.release();
  CHECK(stopping.wait() == 0);
  CHECK(fixture.db.value(sent_jobs) == "1");
  CHECK(attempts(fixture) == std::vector<std::string>{"1 sent"});
  CHECK(fixture.db.value("select reclaims from notify.notification_jobs") == "0");
  CHECK(other.output().find("expired leases ended") == std::string::npos);
  CHECK(fixture.provider.records().size() == 1);
  fixture.check_invariants();
}

} // namespace
} // namespace notify::test
