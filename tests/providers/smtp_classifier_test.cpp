#include "actors/providers/smtp_classifier.hpp"
#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace notify {
namespace {

using namespace std::chrono_literals;
using kind = outcome_kind;
using phase = send_phase;

const std::vector<phase> smtp_phases = {
    phase::none,     phase::render, phase::resolve,  phase::connect, phase::tls,
    phase::greeting, phase::ehlo,   phase::auth,     phase::mail,    phase::rcpt,
    phase::data,     phase::body,   phase::final_dot};

smtp_ending reply(phase where, const std::string& line) {
  smtp_ending result;
  result.phase = where;
  result.event = smtp_event::reply;
  result.reply = parse_smtp_reply(line + "\r\n").reply;
  return result;
}

smtp_ending event(phase where, smtp_event what) {
  smtp_ending result;
  result.phase = where;
  result.event = what;
  result.text = "some error";
  return result;
}

TEST_CASE("replies are classified by phase and code") {
  struct row {
    phase where;
    std::string line;
    kind expected;
    std::string reason;
  };
  const std::vector<row> rows = {
      {phase::greeting, "421 busy", kind::retry, "smtp_service_unavailable"},
      {phase::greeting, "450 busy", kind::retry, "smtp_greeting_deferred"},
      {phase::greeting, "554 no service", kind::hold, "smtp_greeting_refused"},
      {phase::ehlo, "451 later", kind::retry, "smtp_ehlo_deferred"},
      {phase::ehlo, "550 no", kind::hold, "smtp_ehlo_refused"},
      {phase::tls, "454 not now", kind::retry, "smtp_starttls_deferred"},
      {phase::tls, "502 no", kind::hold, "smtp_starttls_refused"},
      {phase::auth, "454 4.7.0 later", kind::retry, "smtp_auth_deferred"},
      {phase::auth, "535 5.7.8 wrong", kind::hold, "smtp_auth_refused"},
      {phase::auth, "534 too weak", kind::hold, "smtp_auth_refused"},
      {phase::auth, "538 needs TLS", kind::hold, "smtp_auth_refused"},
      {phase::mail, "451 later", kind::retry, "smtp_mail_deferred"},
      {phase::mail, "452 storage", kind::retry, "smtp_mail_deferred"},
      {phase::mail, "421 bye", kind::retry, "smtp_service_unavailable"},
      {phase::mail, "530 log in first", kind::hold, "smtp_auth_required"},
      {phase::mail, "552 5.3.4 too big", kind::permanent, "smtp_message_too_big"},
      {phase::mail, "554 5.3.4 too big", kind::permanent, "smtp_message_too_big"},
      {phase::mail, "550 5.7.1 not yours", kind::hold, "smtp_sender_refused"},
      {phase::mail, "553 5.1.8 sender", kind::hold, "smtp_sender_refused"},
      {phase::mail, "554 5.7.1 sender", kind::hold, "smtp_sender_refused"},
      {phase::mail, "554 no", kind::permanent, "smtp_mail_refused"},
      {phase::mail, "555 parameter", kind::permanent, "smtp_mail_refused"},
      {phase::mail, "501 syntax", kind::permanent, "smtp_mail_refused"},
      {phase::mail, "503 sequence", kind::retry, "smtp_bad_sequence"},
      {phase::rcpt, "421 bye", kind::retry, "smtp_service_unavailable"},
      {phase::rcpt, "450 4.2.0 Greylisted", kind::retry_after, "smtp_greylisted"},
      {phase::rcpt, "450 4.1.2 domain not found", kind::retry_after, "smtp_rcpt_deferred"},
      {phase::rcpt, "451 4.7.1 later", kind::retry_after, "smtp_rcpt_deferred"},
      {phase::rcpt, "422 4.2.2 full", kind::retry_after, "smtp_rcpt_deferred"},
      {phase::rcpt, "452 4.5.3 too many", kind::retry, "smtp_too_many_recipients"},
      {phase::rcpt, "552 Too many recipients", kind::retry, "smtp_too_many_recipients"},
      {phase::rcpt, "550 5.1.1 no such user", kind::permanent, "smtp_rcpt_unknown"},
      {phase::rcpt, "556 5.1.10 null MX", kind::permanent, "smtp_rcpt_unknown"},
      {phase::rcpt, "550 5.1.1 User unknown in relay recipient table", kind::permanent,
       "smtp_rcpt_unknown"},
      {phase::rcpt, "552 5.2.2 mailbox full", kind::permanent, "smtp_rcpt_refused"},
      {phase::rcpt, "551 not local", kind::permanent, "smtp_rcpt_refused"},
      {phase::rcpt, "550 no", kind::permanent, "smtp_rcpt_refused"},
      {phase::rcpt, "550 5.7.1 <relay@x.com> blocked by the recipient", kind::permanent,
       "smtp_rcpt_refused"},
      {phase::rcpt, "550 5.7.1 Relaying denied", kind::hold, "smtp_relay_denied"},
      {phase::rcpt, "554 5.7.1 <a@b>: Relay access denied", kind::hold, "smtp_relay_denied"},
      {phase::rcpt, "550 5.7.1 Unable to relay", kind::hold, "smtp_relay_denied"},
      {phase::rcpt, "554 5.7.1 Client host blocked", kind::hold, "smtp_client_refused"},
      {phase::rcpt, "530 5.7.0 authenticate", kind::hold, "smtp_auth_required"},
      {phase::rcpt, "503 sequence", kind::permanent, "smtp_bad_sequence"},
      {phase::rcpt, "550 5.7.0 Too many emails per second", kind::retry_after, "smtp_rate_limited"},
      {phase::data, "451 later", kind::retry, "smtp_data_deferred"},
      {phase::data, "554 no", kind::permanent, "smtp_data_refused"},
      {phase::data, "250 ok", kind::retry, "smtp_desync"},
      {phase::body, "452 full", kind::retry, "smtp_message_deferred"},
      {phase::body, "552 too big", kind::permanent, "smtp_message_refused"},
      {phase::body, "250 ok", kind::retry, "smtp_desync"},
      {phase::final_dot, "250 ok", kind::sent, ""},
      {phase::final_dot, "251 ok", kind::sent, ""},
      {phase::final_dot, "250 5.1.1 odd", kind::sent, ""},
      {phase::final_dot, "354 go", kind::unknown, "smtp_bad_reply"},
      {phase::final_dot, "421 bye", kind::retry, "smtp_service_unavailable"},
      {phase::final_dot, "454 Throttling failure", kind::retry, "smtp_message_deferred"},
      {phase::final_dot, "450 4.1.1 5.1.1 odd", kind::retry, "smtp_message_deferred"},
      {phase::final_dot, "552 too big", kind::permanent, "smtp_message_too_big"},
      {phase::final_dot, "554 5.7.1 spam", kind::permanent, "smtp_message_policy"},
      {phase::final_dot, "550 no", kind::permanent, "smtp_message_refused"},
  };
  for (const auto& x : rows) {
    INFO(to_string(x.where) + ": " + x.line);
    auto result = classify_smtp(reply(x.where, x.line));
    CHECK(to_string(result.kind) == to_string(x.expected));
    CHECK(result.reason == x.reason);
    CHECK(result.provider_status == std::stoi(x.line));
  }
}

TEST_CASE("lost connections are classified by phase") {
  struct row {
    phase where;
    smtp_event what;
    kind expected;
    std::string reason;
  };
  for (const auto& x : {
           row{phase::resolve, smtp_event::failed, kind::retry, "smtp_resolve_failed"},
           row{phase::resolve, smtp_event::timed_out, kind::retry, "smtp_resolve_timeout"},
           row{phase::connect, smtp_event::failed, kind::retry, "smtp_connect_failed"},
           row{phase::connect, smtp_event::timed_out, kind::retry, "smtp_connect_timeout"},
           row{phase::tls, smtp_event::failed, kind::retry, "smtp_tls_failed"},
           row{phase::tls, smtp_event::untrusted, kind::hold, "smtp_certificate_invalid"},
           row{phase::tls, smtp_event::not_offered, kind::hold, "smtp_starttls_missing"},
           row{phase::auth, smtp_event::not_offered, kind::hold, "smtp_auth_unsupported"},
           row{phase::auth, smtp_event::unsafe, kind::hold, "smtp_auth_needs_tls"},
           row{phase::mail, smtp_event::too_big, kind::permanent, "smtp_message_too_big"},
           row{phase::mail, smtp_event::not_offered, kind::permanent, "smtp_smtputf8_missing"},
           row{phase::mail, smtp_event::closed, kind::retry, "smtp_connection_lost"},
           row{phase::rcpt, smtp_event::timed_out, kind::retry, "smtp_timeout"},
           row{phase::data, smtp_event::desync, kind::retry, "smtp_desync"},
           row{phase::body, smtp_event::closed, kind::retry, "smtp_connection_lost"},
           row{phase::body, smtp_event::stopped, kind::interrupted, "smtp_stopped"},
           row{phase::final_dot, smtp_event::closed, kind::unknown, "smtp_reply_lost"},
           row{phase::final_dot, smtp_event::timed_out, kind::unknown, "smtp_reply_timeout"},
           row{phase::final_dot, smtp_event::malformed, kind::unknown, "smtp_bad_reply"},
           row{phase::final_dot, smtp_event::stopped, kind::unknown, "smtp_stopped"},
       }) {
    INFO(to_string(x.where));
    auto result = classify_smtp(event(x.where, x.what));
    CHECK(to_string(result.kind) == to_string(x.expected));
    CHECK(result.reason == x.reason);
    CHECK(result.phase == x.where);
    CHECK(result.detail == "some error");
  }
}

TEST_CASE("without a reply the outcome is unknown after the final dot and only there") {
  for (auto where : smtp_phases)
    for (auto what : all_smtp_events) {
      INFO(to_string(where) << " event " << static_cast<int>(what));
      auto result = classify_smtp(event(where, what));
      CHECK((result.kind == kind::unknown) == (where == phase::final_dot));
      CHECK((result.kind == kind::interrupted)
            == (where != phase::final_dot && what == smtp_event::stopped));
      CHECK(result.kind != kind::sent);
      CHECK_FALSE(result.reason.empty());
    }
}

TEST_CASE("D-C14: a mailbox that does not exist is not tried again, for this mail or another") {
  for (const std::string line :
       {"550 5.1.1 no such user", "550 no", "551 not local", "553 mailbox name", "556 5.1.10 no MX",
        "550 5.4.1 Recipient address rejected", "550 5.2.1 disabled"}) {
    INFO(line);
    auto result = classify_smtp(reply(phase::rcpt, line));
    CHECK(result.kind == kind::permanent);
    CHECK(result.suppress_recipient);
  }
}

TEST_CASE("a refusal that is not about the recipient for good is not held against it") {
  for (const std::string line :
       {"552 5.2.2 mailbox full", "550 5.2.2 over quota", "550 5.7.1 spam", "553 5.7.1 blocked",
        "550 5.6.7 needs SMTPUTF8", "550 5.1.8 sender domain not found", "550 5.1.7 bad sender",
        "550 5.1.0 <shop@example.com>: Sender address rejected", "554 no", "503 sequence",
        "550 5.7.1 Relaying denied", "450 4.1.1 later"}) {
    INFO(line);
    CHECK_FALSE(classify_smtp(reply(phase::rcpt, line)).suppress_recipient);
  }
  for (auto where : {phase::greeting, phase::mail, phase::data, phase::final_dot})
    CHECK_FALSE(classify_smtp(reply(where, "550 5.1.1 no")).suppress_recipient);
}

TEST_CASE("a sender that is refused only at the recipient is our trouble, not the job's") {
  for (const std::string line : {"550 5.1.8 sender domain not found", "550 5.1.7 bad sender",
                                 "550 5.1.0 <shop@example.com>: Sender address rejected"}) {
    auto result = classify_smtp(reply(phase::rcpt, line));
    CHECK(result.kind == kind::hold);
    CHECK(result.reason == "smtp_sender_refused");
  }
}

TEST_CASE("a code's first digit decides, and only the reply to the message can say sent") {
  for (auto where : smtp_phases)
    for (int code = 0; code < 1000; ++code) {
      auto digits = std::to_string(1000 + code).substr(1);
      auto result = classify_smtp(reply(where, digits + " text"));
      INFO(to_string(where) + ": " + digits);
      auto is_final = where == phase::final_dot;
      CHECK((result.kind == kind::sent) == (is_final && code >= 200 && code < 300));
      if (code >= 400 && code < 500)
        CHECK((result.kind == kind::retry || result.kind == kind::retry_after));
      if (code >= 400 && code < 600)
        CHECK(result.kind != kind::unknown);
      if (code < 200 || code >= 600)
        CHECK(result.kind == (is_final ? kind::unknown : kind::retry));
    }
}

TEST_CASE("a deferred recipient waits at least a minute") {
  CHECK(classify_smtp(reply(phase::rcpt, "450 wait")).wait_hint == 60s);
  CHECK(classify_smtp(reply(phase::data, "450 greylisted")).wait_hint == 60s);
  CHECK(classify_smtp(reply(phase::mail, "450 wait")).wait_hint == 0s);
}

TEST_CASE("an enhanced code of another class does not count") {
  CHECK(classify_smtp(reply(phase::rcpt, "550 4.5.3 odd")).reason == "smtp_rcpt_refused");
  CHECK(classify_smtp(reply(phase::rcpt, "451 5.1.1 odd")).kind == kind::retry_after);
}

TEST_CASE("an override goes before the table but cannot invent a success or a doubt") {
  smtp_override slower{550, "5.7.", "slow down", kind::retry_after, 90s};
  auto result = classify_smtp(reply(phase::rcpt, "550 5.7.0 Slow Down please"), {slower});
  CHECK(result.kind == kind::retry_after);
  CHECK(result.wait_hint == 90s);
  CHECK(result.reason == "smtp_override");
  CHECK(classify_smtp(reply(phase::rcpt, "550 5.1.0 slow down"), {slower}).kind == kind::permanent);
  CHECK(classify_smtp(reply(phase::rcpt, "554 5.7.0 slow down"), {slower}).kind == kind::permanent);
  CHECK(classify_smtp(reply(phase::rcpt, "550 5.7.0 no"), {slower}).kind == kind::permanent);
  for (auto forbidden : {kind::sent, kind::unknown}) {
    smtp_override wrong;
    wrong.kind = forbidden;
    CHECK(classify_smtp(reply(phase::rcpt, "550 no"), {wrong}).kind == kind::permanent);
    CHECK(classify_smtp(reply(phase::final_dot, "250 ok"), {wrong}).kind == kind::sent);
  }
}

TEST_CASE("the detail is safe text and keeps nothing of AUTH") {
  auto long_reply = reply(phase::rcpt, "550 x");
  long_reply.reply.lines = {test::filled(3000, 'x') + "\xFF"};
  CHECK(classify_smtp(long_reply).detail.size() == 2048);
  long_reply.reply.lines = {std::string{"a\0b\xFF", 4}};
  CHECK(classify_smtp(long_reply).detail
        == "a\xEF\xBF\xBD"
           "b\xEF\xBF\xBD");
  auto auth = classify_smtp(reply(phase::auth, "535 5.7.8 secret is wrong"));
  CHECK(auth.detail.empty());
  CHECK(auth.provider_code == "5.7.8");
}

TEST_CASE("an accepted mail carries the relay's id and is done") {
  auto result = classify_smtp(reply(phase::final_dot, "250 2.0.0 Ok: queued as 4F1B2C"));
  CHECK(result.provider_message_id == "4F1B2C");
  CHECK(result.phase == phase::done);
  CHECK(result.provider == "smtp");
  CHECK(result.provider_code == "2.0.0");
}

} // namespace
} // namespace notify
