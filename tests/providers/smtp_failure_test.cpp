#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

// One mail per relay, and the relay goes wrong at one point of the dialogue.

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using kind = outcome_kind;
using phase = send_phase;

/// A message that the socket buffers cannot hold, so that the relay has to read to let it through.
std::string huge_message() {
  return std::string(6u << 20u, 'x');
}

struct failing_relay {
  std::string name;
  smtp_script script;
  phase expected_phase;
  kind expected;
  std::string reason;
};

void check_outcome(const outcome& result, const failing_relay& x) {
  INFO(x.name << ": " << result.reason << ", " << result.detail);
  CHECK(to_string(result.kind) == to_string(x.expected));
  CHECK(to_string(result.phase) == to_string(x.expected_phase));
  CHECK(result.reason == x.reason);
}

TEST_CASE("a refusal at each phase becomes its outcome") {
  const std::vector<failing_relay> relays = {
      {"greeting 421",
       {smtp::say("421 busy")},
       phase::greeting,
       kind::retry,
       "smtp_service_unavailable"},
      {"greeting 554", {smtp::say("554 no")}, phase::greeting, kind::hold, "smtp_greeting_refused"},
      {"greeting noise", {smtp::say("SSH-2.0-x")}, phase::greeting, kind::retry, "smtp_bad_reply"},
      {"EHLO and HELO 550",
       {smtp::say("220 hi"), smtp::on("EHLO", "550 no"), smtp::on("HELO", "550 no")},
       phase::ehlo,
       kind::hold,
       "smtp_ehlo_refused"},
      {"MAIL 451",
       {smtp::hello(), smtp::on("MAIL", "451 later")},
       phase::mail,
       kind::retry,
       "smtp_mail_deferred"},
      {"MAIL 550",
       {smtp::hello(), smtp::on("MAIL", "550 5.7.1 no")},
       phase::mail,
       kind::hold,
       "smtp_sender_refused"},
      {"RCPT 450",
       {smtp::to_mail(), smtp::on("RCPT", "450 4.2.0 wait")},
       phase::rcpt,
       kind::retry_after,
       "smtp_rcpt_deferred"},
      {"RCPT 550",
       {smtp::to_mail(), smtp::on("RCPT", "550 5.1.1 no such user")},
       phase::rcpt,
       kind::permanent,
       "smtp_rcpt_unknown"},
      {"DATA 451",
       {smtp::to_rcpt(), smtp::on("DATA", "451 later")},
       phase::data,
       kind::retry,
       "smtp_data_deferred"},
      {"DATA 554",
       {smtp::to_rcpt(), smtp::on("DATA", "554 no")},
       phase::data,
       kind::permanent,
       "smtp_data_refused"},
      {"DATA 250",
       {smtp::to_rcpt(), smtp::on("DATA", "250 ok")},
       phase::data,
       kind::retry,
       "smtp_desync"},
      {"message 451",
       {smtp::to_dot(), smtp::say("451 later")},
       phase::final_dot,
       kind::retry,
       "smtp_message_deferred"},
      {"message 554",
       {smtp::to_dot(), smtp::say("554 5.7.1 spam")},
       phase::final_dot,
       kind::permanent,
       "smtp_message_policy"},
      {"message 999",
       {smtp::to_dot(), smtp::say("999 ?")},
       phase::final_dot,
       kind::unknown,
       "smtp_bad_reply"},
      {"message noise",
       {smtp::to_dot(), smtp::say("what?")},
       phase::final_dot,
       kind::unknown,
       "smtp_bad_reply"},
      {"RCPT answered twice",
       {smtp::to_mail(), smtp::on("RCPT", "250 ok\r\n250 ok"), smtp::freeze()},
       phase::data,
       kind::retry,
       "smtp_desync"},
  };
  for (const auto& x : relays) {
    scripted_smtp relay{x.script};
    smtp_client client{plain_config(relay)};
    check_outcome(client.send(), x);
    CHECK(relay.failures().empty());
    CHECK(relay.connections() == 1);
  }
}

TEST_CASE("a rule for this relay decides before the table does") {
  scripted_smtp relay{{smtp::to_mail(), smtp::on("RCPT", "550 5.7.0 Too Many mails today"),
                       smtp::on("RSET", "250 ok"), smtp::on("MAIL", "250 ok"),
                       smtp::on("RCPT", "550 5.1.1 no such user"), smtp::serve()}};
  auto config = plain_config(relay);
  config.overrides.push_back({550, "5.7.", "too many mails", kind::retry_after, 90s});
  smtp_client client{config};
  auto result = client.send();
  CHECK(result.kind == kind::retry_after);
  CHECK(result.wait_hint == 90s);
  CHECK(result.reason == "smtp_override");
  CHECK(client.send().kind == kind::permanent);
  CHECK(relay.failures().empty());
}

TEST_CASE("a connection that ends at each phase is a retry before the dot, unknown after it") {
  const std::vector<failing_relay> relays = {
      {"greeting", {}, phase::greeting, kind::retry, ""},
      {"half a greeting", {smtp::say_raw("220 he")}, phase::greeting, kind::retry, ""},
      {"EHLO", {smtp::say("220 hi"), smtp::expect("EHLO")}, phase::ehlo, kind::retry, ""},
      {"MAIL", {smtp::hello(), smtp::expect("MAIL")}, phase::mail, kind::retry, ""},
      {"RCPT", {smtp::to_mail(), smtp::expect("RCPT")}, phase::rcpt, kind::retry, ""},
      {"DATA", {smtp::to_rcpt(), smtp::expect("DATA")}, phase::data, kind::retry, ""},
      {"dot", {smtp::to_dot()}, phase::final_dot, kind::unknown, ""},
      {"half a reply",
       {smtp::to_dot(), smtp::say_raw("250 2.0.0 O")},
       phase::final_dot,
       kind::unknown,
       ""},
  };
  for (auto x : relays)
    for (const auto& end : {smtp::close(), smtp::reset()}) {
      x.script.push_back(end);
      x.reason = x.expected == kind::unknown ? "smtp_reply_lost" : "smtp_connection_lost";
      scripted_smtp relay{x.script};
      smtp_client client{plain_config(relay)};
      check_outcome(client.send(), x);
      CHECK(relay.connections() == 1);
    }
}

TEST_CASE("a relay that leaves or refuses in the middle of the data has not accepted") {
  const std::vector<failing_relay> relays = {
      {"close", {smtp::to_data(), smtp::close()}, phase::body, kind::retry, "smtp_connection_lost"},
      {"reset", {smtp::to_data(), smtp::reset()}, phase::body, kind::retry, "smtp_connection_lost"},
      {"early 552",
       {smtp::to_rcpt(), smtp::on("DATA", "354 go\r\n552 too big"), smtp::freeze()},
       phase::body,
       kind::permanent,
       "smtp_message_refused"},
      {"early 451",
       {smtp::to_rcpt(), smtp::on("DATA", "354 go\r\n451 later"), smtp::freeze()},
       phase::body,
       kind::retry,
       "smtp_message_deferred"},
      {"early 250",
       {smtp::to_rcpt(), smtp::on("DATA", "354 go\r\n250 ok"), smtp::freeze()},
       phase::body,
       kind::retry,
       "smtp_desync"},
  };
  for (const auto& x : relays) {
    scripted_smtp relay{x.script};
    raw_smtp_client client{plain_config(relay)};
    auto result = client.send(huge_message());
    check_outcome(result, x);
    CHECK(result.bytes_sent < huge_message().size());
    CHECK(relay.mails().empty());
  }
}

TEST_CASE("an early answer to a short mail is not taken for the answer to its end") {
  scripted_smtp relay{{smtp::to_rcpt(), smtp::on("DATA", "354 go\r\n250 ok"), smtp::freeze()}};
  smtp_client client{plain_config(relay)};
  auto result = client.send();
  CHECK(result.kind == kind::retry);
  CHECK(result.reason == "smtp_desync");
  CHECK(relay.mails().empty());
}

TEST_CASE("D-D3: a relay that falls silent costs one deadline of that step") {
  const std::vector<failing_relay> relays = {
      {"greeting", {}, phase::greeting, kind::retry, "smtp_timeout"},
      {"greeting in drips",
       {smtp::say_raw("220-a\r\n220-b\r\n2")},
       phase::greeting,
       kind::retry,
       "smtp_timeout"},
      {"EHLO",
       {smtp::say("220 hi"), smtp::expect("EHLO")},
       phase::ehlo,
       kind::retry,
       "smtp_timeout"},
      {"MAIL", {smtp::hello(), smtp::expect("MAIL")}, phase::mail, kind::retry, "smtp_timeout"},
      {"RCPT", {smtp::to_mail(), smtp::expect("RCPT")}, phase::rcpt, kind::retry, "smtp_timeout"},
      {"DATA", {smtp::to_rcpt(), smtp::expect("DATA")}, phase::data, kind::retry, "smtp_timeout"},
      {"body", {smtp::to_data()}, phase::body, kind::retry, "smtp_timeout"},
      {"dot", {smtp::to_dot()}, phase::final_dot, kind::unknown, "smtp_reply_timeout"},
  };
  // All at once: every one takes the whole deadline.
  std::vector<std::unique_ptr<scripted_smtp>> servers;
  std::vector<std::unique_ptr<raw_smtp_client>> clients;
  std::vector<std::future<outcome>> pending;
  for (auto x : relays) {
    x.script.push_back(smtp::freeze());
    servers.push_back(std::make_unique<scripted_smtp>(x.script));
    auto config = plain_config(*servers.back());
    config.command_timeout = 3s;
    config.final_dot_timeout = 4s;
    clients.push_back(std::make_unique<raw_smtp_client>(config));
    pending.push_back(clients.back()->start(x.name == "body" ? huge_message() : "short\r\n"));
  }
  for (size_t i = 0; i < relays.size(); ++i)
    check_outcome(answer_of(pending[i]), relays[i]);
  for (auto& x : servers)
    CHECK(x->connections() == 1);
}

TEST_CASE("a relay that is not there is a retry with nothing sent") {
  uint16_t port = 0;
  {
    scripted_smtp gone{smtp_script{}};
    port = gone.port();
  }
  smtp_config config;
  config.port = port;
  config.security = smtp_security::none;
  smtp_client client{config};
  auto result = client.send();
  CHECK(result.kind == kind::retry);
  CHECK(result.phase == phase::connect);
  CHECK(result.reason == "smtp_connect_failed");
  CHECK(result.bytes_sent == 0);
}

} // namespace
} // namespace notify
