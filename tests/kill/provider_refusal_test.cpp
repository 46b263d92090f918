#include "tests/kill/kill_fixture.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <csignal>

namespace notify::test {
namespace {

TEST_CASE("P-25: fifty jobs against a provider that answers 401, later 200, are all sent") {
  kill_fixture fixture;
  temp_folder folder;
  auto key_file = folder.write("key", "re_test\n");
  fixture.seed(50);
  fixture.provider.set_script(
      R"([{"match": {"protocol": "resend"}, "action": {"named": "resend_invalid_key"}}])");
  auto program = fixture.start(
      "one", {"--channel-email.provider=resend",
              "--channel-email.resend-api-url=http://127.0.0.1:"
                  + std::to_string(fixture.provider.http_port()),
              "--channel-email.resend-key-file=" + key_file,
              "--channel-email.resend-from=shop@example.com", "--channel-email.retry-hold-delay=1s",
              "--channel-email.breaker-wait=1s", "--channel-email.breaker-max-wait=1s"});
  // The breaker is open, and at least one probe of it has failed as well.
  eventually([&] { return fixture.provider.records().size() > 4; });
  CHECK(program.output().find("breaker open") != std::string::npos);
  CHECK(fixture.db.value("select count(*) from notify.notifications where status = 'dead'") == "0");
  fixture.provider.set_script("[]");
  fixture.require_value("select count(*) from notify.notifications where status = 'sent'", "50");
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(fixture.db.value("select sum(failures) from notify.notification_jobs") == "0");
  fixture.check_invariants();
  CHECK(broken_deliveries(fixture.db, fixture.accepted()) == nothing);
}

TEST_CASE("P-27: an address that was refused for good is not asked for again") {
  kill_fixture fixture;
  fixture.provider.set_script(
      R"([{"match": {"protocol": "smtp"}, "action": {"at": "rcpt", "named": "smtp_unknown_mailbox"}}])");
  auto program = fixture.start("one");
  for (int i = 1; i <= 3; ++i) {
    fixture.db.query(
        "insert into notify.channel_pauses (channel, paused_by) values ('email', 'test')");
    fixture.seed(1);
    fixture.db.query("update notify.notification_jobs set recipient = 'nobody@example.com'");
    fixture.db.query("delete from notify.channel_pauses");
    fixture.require_value("select count(*) from notify.notifications where status = 'dead'",
                          std::to_string(i));
  }
  program.signal(SIGTERM);
  CHECK(program.wait() == 0);
  CHECK(fixture.provider.records().size() == 1);
  CHECK(fixture.db.query("select error_code from notify.delivery_attempts order by finished_at")
        == postgres_fixture::rows{
            {"smtp_rcpt_unknown"}, {"recipient_suppressed"}, {"recipient_suppressed"}});
  fixture.check_invariants();
}

} // namespace
} // namespace notify::test
