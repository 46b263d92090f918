#include "messages/error.hpp"
#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// What goes over the wire, and what does not.

namespace notify {
namespace {

using namespace std::string_literals;
using namespace test;
using kind = outcome_kind;

TEST_CASE("a mail is one dialogue in order, with its own Message-ID") {
  scripted_smtp relay{{smtp::hello({"SIZE 100000", "8BITMIME"}), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  auto result = client.send(a_mail("key-7"));
  CHECK(result.kind == kind::sent);
  CHECK(result.phase == send_phase::done);
  CHECK(result.provider == "smtp");
  CHECK(result.provider_status == 250);
  auto mails = relay.mails();
  REQUIRE(mails.size() == 1);
  auto size = std::to_string(mails[0].data.size());
  CHECK(relay.commands()
        == std::vector<std::string>{"EHLO localhost", "MAIL FROM:<shop@example.com> SIZE=" + size,
                                    "RCPT TO:<user@example.org>", "DATA"});
  CHECK(mails[0].data.find("Message-Id: <key-7@example.com>\r\n") != std::string::npos);
  CHECK(result.bytes_sent == mails[0].data.size());
}

TEST_CASE("a relay without EHLO is spoken to with HELO") {
  scripted_smtp relay{{smtp::say("220 old"), smtp::on("EHLO", "502 what?"),
                       smtp::on("HELO localhost", "250 hello"), smtp::one_mail()}};
  smtp_client client{plain_config(relay)};
  CHECK(client.send().kind == kind::sent);
  CHECK(relay.failures().empty());
}

TEST_CASE("a message over the relay's limit is not sent, and the connection lives on") {
  scripted_smtp relay{{smtp::hello({"SIZE 5000"}), smtp::serve()}};
  smtp_client client{plain_config(relay)};
  auto big = a_mail();
  big.content.text = filled(6000, 'x');
  auto result = client.send(big);
  CHECK(result.kind == kind::permanent);
  CHECK(result.reason == "smtp_message_too_big");
  auto second = client.send();
  CHECK(second.kind == kind::sent);
  CHECK(second.connection_reused);
  CHECK(relay.count("MAIL") == 1);
}

TEST_CASE("a local part outside ASCII goes out only to a relay with SMTPUTF8") {
  auto mail = a_mail();
  mail.recipient = "иван@почта.рф";
  SECTION("offered") {
    scripted_smtp relay{{smtp::hello({"8BITMIME", "SMTPUTF8"}), smtp::serve()}};
    smtp_client client{plain_config(relay)};
    CHECK(client.send(mail).kind == kind::sent);
    CHECK(relay.commands().at(1).ends_with(" SMTPUTF8"));
    CHECK(relay.commands().at(2) == "RCPT TO:<иван@xn--80a1acny.xn--p1ai>");
    CHECK(client.send().kind == kind::sent);
    CHECK(relay.commands().at(4) == "MAIL FROM:<shop@example.com>");
  }
  SECTION("not offered") {
    scripted_smtp relay{{smtp::hello({"8BITMIME"}), smtp::serve()}};
    smtp_client client{plain_config(relay)};
    auto result = client.send(mail);
    CHECK(result.kind == kind::permanent);
    CHECK(result.reason == "smtp_smtputf8_missing");
    CHECK(relay.count("MAIL") == 0);
  }
}

TEST_CASE("AUTH PLAIN is preferred, AUTH LOGIN is known") {
  auto log_in = [](const smtp_script& script) {
    scripted_smtp relay{script};
    auto config = plain_config(relay);
    config.username = "user";
    config.password = "pass";
    smtp_client client{config};
    auto result = client.send();
    CHECK(relay.failures().empty());
    return result;
  };
  CHECK(log_in({smtp::hello({"AUTH LOGIN PLAIN"}),
                smtp::on("AUTH PLAIN AHVzZXIAcGFzcw==", "235 2.7.0 ok"), smtp::one_mail()})
            .kind
        == kind::sent);
  CHECK(log_in({smtp::hello({"AUTH LOGIN"}), smtp::on("AUTH LOGIN", "334 VXNlcm5hbWU6"),
                smtp::on("dXNlcg==", "334 UGFzc3dvcmQ6"), smtp::on("cGFzcw==", "235 ok"),
                smtp::one_mail()})
            .kind
        == kind::sent);
}

TEST_CASE("a failed login is told apart by its code and leaves no secret in the outcome") {
  auto refuse = [](const std::string& reply) {
    scripted_smtp relay{{smtp::hello({"AUTH PLAIN"}), smtp::on("AUTH PLAIN", reply)}};
    auto config = plain_config(relay);
    config.username = "user";
    config.password = "pass-word";
    smtp_client client{config};
    return client.send();
  };
  auto wrong = refuse("535 5.7.8 pass-word is wrong");
  CHECK(wrong.kind == kind::hold);
  CHECK(wrong.phase == send_phase::auth);
  CHECK(wrong.provider_code == "5.7.8");
  CHECK(wrong.detail.empty());
  CHECK(refuse("454 4.7.0 later").kind == kind::retry);
  CHECK(refuse("334 more?").reason == "smtp_desync");
}

TEST_CASE("a reply that repeats the password is withheld at every phase") {
  scripted_smtp relay{{smtp::hello({"AUTH PLAIN"}), smtp::on("AUTH PLAIN", "235 ok"),
                       smtp::on("MAIL", "550 no: AHVzZXIAcGFzcy13b3Jk")}};
  auto config = plain_config(relay);
  config.username = "user";
  config.password = "pass-word";
  smtp_client client{config};
  auto result = client.send();
  CHECK(result.reason == "smtp_sender_refused");
  CHECK(result.detail == "(withheld: the reply repeats a secret)");
}

TEST_CASE("a relay that offers no known login is a hold") {
  scripted_smtp relay{{smtp::hello({"AUTH XOAUTH2"}), smtp::serve()}};
  auto config = plain_config(relay);
  config.username = "user";
  smtp_client client{config};
  CHECK(client.send().reason == "smtp_auth_unsupported");
}

TEST_CASE("settings that cannot work are refused by name") {
  io_threads io{1};
  auto refuses = [&](auto change, const std::string& option) {
    smtp_config config;
    change(config);
    auto made = smtp_provider::make(io.context(), config);
    REQUIRE_FALSE(made);
    CHECK(made.error() == ec::invalid_config);
    INFO(render(made.error()));
    CHECK(render(made.error()).find(option) != std::string::npos);
  };
  refuses([](auto& x) { x.host = ""; }, "smtp.host");
  refuses([](auto& x) { x.port = 0; }, "smtp.port");
  refuses([](auto& x) { x.helo_name = "a\r\nMAIL"; }, "smtp.helo-name");
  refuses([](auto& x) { x.from_address = "a\r\n@b"; }, "smtp.from-address");
  refuses([](auto& x) { x.from_name = "a\r\nBcc: b"; }, "smtp.from-name");
  refuses([](auto& x) { x.message_id_domain = "a b"; }, "smtp.message-id-domain");
  refuses([](auto& x) { x.password = "a\0b"s; }, "smtp.password");
  refuses([](auto& x) { x.max_connections = 0; }, "smtp.max-connections");
  refuses([](auto& x) { x.ca_file = "/nowhere/ca.pem"; }, "smtp.ca-file");
}

} // namespace
} // namespace notify
