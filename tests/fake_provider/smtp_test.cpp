#include "tests/fake_provider/fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

namespace notify::fake::test {
namespace {

using notify::test::eventually;

TEST_CASE("SMTP takes a mail, known by its Message-ID") {
  provider x{{}};
  mail_client relay{x.smtp_port()};
  CHECK(relay.send_mail("m1") == "250 2.0.0 Ok: queued as F1");
  auto seen = x.records();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].via == protocol::smtp);
  CHECK(seen[0].recipient == "anna@example.com");
  CHECK(seen[0].key == "m1@test");
  CHECK(seen[0].answered == 250);
  // The doubled dot and the final one are the protocol's, not the mail's.
  CHECK(seen[0].body_bytes
        == std::string{"Subject: Hello\r\nMessage-ID:\r\n <m1@test>\r\n\r\n.dot\r\n"}.size());
  CHECK(relay.ask("QUIT").starts_with("221"));
  CHECK(relay.hear().empty());
}

TEST_CASE("SMTP says what it can do, takes any login and several mails") {
  provider x{{}};
  mail_client relay{x.smtp_port()};
  CHECK(relay.hear() == "220 fake-provider ESMTP");
  CHECK(relay.ask("EHLO test").find("250 AUTH PLAIN LOGIN") != std::string::npos);
  CHECK(relay.ask("AUTH PLAIN AGEAYg==").starts_with("235"));
  CHECK(relay.ask("AUTH LOGIN").starts_with("334"));
  CHECK(relay.ask("YQ==").starts_with("334"));
  CHECK(relay.ask("Yg==").starts_with("235"));
  CHECK(relay.ask("RCPT TO:<a@b>").starts_with("503"));
  for (auto i = 0; i < 2; ++i) {
    CHECK(relay.ask("MAIL FROM:<a@b>").starts_with("250"));
    CHECK(relay.ask("RCPT TO:<c@d>").starts_with("250"));
    CHECK(relay.ask("DATA").starts_with("354"));
    CHECK(relay.ask(".").starts_with("250"));
  }
  CHECK(relay.ask("MAIL FROM:<a@b>").starts_with("250"));
  CHECK(relay.ask("RSET").starts_with("250"));
  CHECK(relay.ask("DATA").starts_with("503"));
  CHECK(relay.ask("NOOP").starts_with("250"));
  CHECK(relay.ask("VRFY a").starts_with("502"));
  CHECK(x.records().size() == 2);
}

TEST_CASE("a refusal can come at every phase") {
  struct phase_case {
    const char* at;
    const char* wanted; ///< What is heard, command by command, until it is the refusal.
  };
  for (const auto& [at, heard] : {phase_case{"greeting", "4"},
                                  {"ehlo", "24"},
                                  {"auth", "224"},
                                  {"mail", "2224"},
                                  {"rcpt", "22224"},
                                  {"data", "222224"},
                                  {"dot", "2222234"}}) {
    provider x{{}};
    x.set_script(std::string{R"([{"match": {"protocol": "smtp"}, "action": {"at": ")"} + at
                 + R"(", "reply": "451 4.3.0 Not\nnow"}}])");
    mail_client relay{x.smtp_port()};
    std::string codes{relay.hear().front()};
    for (const auto* line :
         {"EHLO test", "AUTH PLAIN AGEAYg==", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA", "."}) {
      if (codes.back() == '4')
        break;
      auto reply = relay.ask(line);
      codes += reply.front();
      if (reply.front() == '4')
        CHECK(reply == "451-4.3.0 Not|451 now");
    }
    INFO(at);
    CHECK(codes == heard);
    for (const auto& one : x.records())
      CHECK_FALSE(one.accepted);
  }
}

TEST_CASE("a recipient that does not exist is refused, and in the journal") {
  provider x{{}};
  x.set_script(
      R"([{"match": {"recipient": "nobody"}, "action": {"named": "smtp_unknown_mailbox"}}])");
  mail_client relay{x.smtp_port()};
  relay.hear();
  relay.ask("EHLO test");
  relay.ask("MAIL FROM:<a@b>");
  CHECK(relay.ask("RCPT TO:<nobody@example.com>") == "550 5.1.1 No such mailbox");
  CHECK(relay.ask("DATA").starts_with("503"));
  auto seen = x.records();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].recipient == "nobody@example.com");
  CHECK(seen[0].answered == 550);
  CHECK_FALSE(seen[0].accepted);
}

TEST_CASE("the connection can end at every phase") {
  for (const auto* at : {"greeting", "ehlo", "mail", "rcpt", "data", "dot", "record"}) {
    INFO(at);
    provider x{{}};
    x.set_script(std::string{R"([{"match": {"protocol": "smtp"},
                 "action": {"do": "close", "at": ")"}
                 + at + R"("}}])");
    mail_client relay{x.smtp_port()};
    CHECK(relay.send_mail("m1").empty());
    auto is_accepted = !x.records().empty() && x.records()[0].accepted;
    CHECK(is_accepted == (std::string{at} == "record"));
  }
}

TEST_CASE("a mail whose last reply is swallowed was accepted") {
  provider x{{}};
  x.set_script(R"([{"match": {"attempt": 1}, "action": {"do": "silence"}}])");
  {
    mail_client relay{x.smtp_port()};
    relay.send_without_hearing("m1");
    REQUIRE(eventually([&] { return !x.records().empty() && x.records()[0].state == "silent"; }));
    CHECK(x.records()[0].accepted);
  }
  mail_client relay{x.smtp_port()};
  CHECK(relay.send_mail("m1").starts_with("250"));
  auto counts = x.tallies();
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].key == "m1@test");
  CHECK(counts[0].requests == 2);
  CHECK(counts[0].accepted == 2);
}

TEST_CASE("a mail that is held is accepted before its reply") {
  provider x{{}};
  x.set_script(R"([{"action": {"do": "hold"}}])");
  mail_client relay{x.smtp_port()};
  relay.send_without_hearing("m1");
  REQUIRE(eventually([&] { return x.waiting() == 1; }));
  CHECK(x.records()[0].accepted);
  CHECK(x.records()[0].answered == 0);
  x.release("m1");
  CHECK(relay.hear().starts_with("250"));
}

TEST_CASE("421 ends the connection") {
  provider x{{}};
  x.set_script(R"([{"action": {"at": "mail", "reply": "421 4.3.2 Closing"}}])");
  mail_client relay{x.smtp_port()};
  relay.hear();
  relay.ask("EHLO test");
  CHECK(relay.ask("MAIL FROM:<a@b>") == "421 4.3.2 Closing");
  CHECK(relay.hear().empty());
}

TEST_CASE("a reset at the final dot reaches the client as one") {
  provider x{{}};
  x.set_script(R"([{"action": {"do": "reset", "at": "dot"}}])");
  mail_client relay{x.smtp_port()};
  CHECK(relay.send_mail("m1").empty());
  CHECK(relay.was_reset());
}

} // namespace
} // namespace notify::fake::test
