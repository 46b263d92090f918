#include "tests/kill/kill_fixture.hpp"

#include <catch2/catch.hpp>

#include <csignal>

namespace notify::test {
namespace {

TEST_CASE("D-A10: a swallowed reply to the final dot is an unknown outcome, retried late and under "
          "the same Message-ID") {
  kill_fixture fixture;
  fixture.seed(3);
  fixture.provider.set_script(R"([{"match": {"attempt": 1}, "action": {"do": "silence"}}])");
  auto program = fixture.start("one", {"--channel-email.smtp-final-dot-timeout=300ms",
                                       "--channel-email.retry-unknown-delay=1s"});
  fixture.require_value("select count(*) from notify.notifications where status = 'sent'", "3");
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  fixture.check_invariants();

  auto attempts = fixture.db.query(
      "select attempt_no, result, phase, next_attempt_at - finished_at >= interval '1 second'"
      " from notify.delivery_attempts order by job_id, attempt_no");
  REQUIRE(attempts.size() == 6);
  for (size_t i = 0; i < attempts.size(); i += 2) {
    CHECK(attempts[i] == std::vector<std::string>{"1", "unknown_outcome", "final_dot", "t"});
    CHECK(attempts[i + 1][1] == "sent");
  }
  auto mails = fixture.provider.tallies();
  REQUIRE(mails.size() == 3);
  for (const auto& mail : mails) {
    CHECK(mail.requests == 2);
    CHECK(mail.accepted == 2);
  }
  // One attempt is one request on the wire.
  CHECK(fixture.provider.records().size() == attempts.size());
  CHECK(broken_deliveries(fixture.db, fixture.accepted()) != nothing);
}

} // namespace
} // namespace notify::test
