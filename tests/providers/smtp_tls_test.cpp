#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using namespace test;
using kind = outcome_kind;

const auto upgrade = smtp::all({smtp::hello({"STARTTLS"}), smtp::on("STARTTLS", "220 go"),
                                smtp::start_tls(), smtp::on("EHLO", "250 secure")});

/// A relay with an identity, and a client that trusts another or the same one.
struct tls_pair {
  tls_pair(const smtp_script& script, smtp_security security, const test_identity& relay_identity,
           const test_identity& trusted)
      : relay(script) {
    relay.use_identity(relay_identity);
    config = tls_config(relay, security, trusted);
  }

  outcome send() {
    smtp_client client{config};
    return client.send();
  }

  scripted_smtp relay;
  smtp_config config;
};

TEST_CASE("STARTTLS protects everything after it, and EHLO is said again") {
  test_identity identity{"localhost"};
  tls_pair x{{upgrade, smtp::serve()}, smtp_security::starttls, identity, identity};
  smtp_client client{x.config};
  auto first = client.send();
  INFO(first.reason << " " << first.detail);
  CHECK(first.kind == kind::sent);
  auto second = client.send(a_mail("key-2"));
  CHECK(second.kind == kind::sent);
  CHECK(second.connection_reused);
  CHECK(x.relay.connections() == 1);
  CHECK(x.relay.commands().at(2) == "EHLO localhost");
}

TEST_CASE("implicit TLS begins with the handshake") {
  test_identity identity{"localhost"};
  tls_pair x{{smtp::start_tls(), smtp::hello({"STARTTLS"}), smtp::serve()},
             smtp_security::tls,
             identity,
             identity};
  CHECK(x.send().kind == kind::sent);
  CHECK(x.relay.count("STARTTLS") == 0);
}

TEST_CASE("a large mail goes through TLS unchanged") {
  test_identity identity{"localhost"};
  tls_pair x{
      {smtp::start_tls(), smtp::hello(), smtp::serve()}, smtp_security::tls, identity, identity};
  smtp_client client{x.config};
  auto mail = a_mail();
  mail.content.text = std::string(300'000, 'x');
  auto result = client.send(mail);
  CHECK(result.kind == kind::sent);
  REQUIRE(x.relay.mails().size() == 1);
  CHECK(result.bytes_sent == x.relay.mails()[0].data.size());
}

TEST_CASE("a relay without STARTTLS gets no mail") {
  test_identity identity{"localhost"};
  tls_pair x{{smtp::hello({"SIZE"}), smtp::serve()}, smtp_security::starttls, identity, identity};
  auto result = x.send();
  CHECK(result.kind == kind::hold);
  CHECK(result.reason == "smtp_starttls_missing");
  CHECK(x.relay.count("MAIL") == 0);
}

TEST_CASE("a refused STARTTLS is told apart by its code") {
  test_identity identity{"localhost"};
  auto answer = [&](const std::string& reply) {
    tls_pair x{{smtp::hello({"STARTTLS"}), smtp::on("STARTTLS", reply)},
               smtp_security::starttls,
               identity,
               identity};
    return x.send().kind;
  };
  CHECK(answer("454 not now") == kind::retry);
  CHECK(answer("502 no") == kind::hold);
}

TEST_CASE("what arrives before the handshake does not count after it") {
  test_identity identity{"localhost"};
  // Injected: a refusal, and an EHLO reply that would switch on an extension.
  tls_pair x{{smtp::hello({"STARTTLS"}),
              smtp::on("STARTTLS", "220 go\r\n250-evil\r\n250 SIZE 10\r\n550 evil"),
              smtp::start_tls(), smtp::on("EHLO", "250 secure"), smtp::serve()},
             smtp_security::starttls,
             identity,
             identity};
  auto result = x.send();
  INFO(result.reason);
  CHECK(result.kind == kind::sent);
  CHECK(x.relay.commands().at(3) == "MAIL FROM:<shop@example.com>");
}

TEST_CASE("a certificate for another name is refused before anything is said") {
  test_identity identity{"relay.example.com"};
  tls_pair x{{upgrade, smtp::serve()}, smtp_security::starttls, identity, identity};
  auto result = x.send();
  CHECK(result.kind == kind::hold);
  CHECK(result.phase == send_phase::tls);
  CHECK(result.reason == "smtp_certificate_invalid");
  CHECK(x.relay.count("MAIL") == 0);
}

TEST_CASE("a certificate that nobody vouches for is refused") {
  test_identity identity{"localhost"};
  test_identity other{"localhost"};
  tls_pair x{
      {smtp::start_tls(), smtp::hello(), smtp::serve()}, smtp_security::tls, identity, other};
  CHECK(x.send().reason == "smtp_certificate_invalid");
  x.config.verify_certificate = false;
  CHECK(x.send().kind == kind::sent);
}

TEST_CASE("a relay named by its address is checked by its address") {
  test_identity right{"IP:127.0.0.1"};
  tls_pair x{{smtp::start_tls(), smtp::hello(), smtp::serve()}, smtp_security::tls, right, right};
  x.config.host = "127.0.0.1";
  CHECK(x.send().kind == kind::sent);
  test_identity wrong{"localhost"};
  tls_pair y{{smtp::start_tls(), smtp::hello(), smtp::serve()}, smtp_security::tls, wrong, wrong};
  y.config.host = "127.0.0.1";
  CHECK(y.send().reason == "smtp_certificate_invalid");
}

TEST_CASE("a relay that speaks plain text where TLS is due is a retry") {
  test_identity identity{"localhost"};
  tls_pair x{{smtp::hello(), smtp::serve()}, smtp_security::tls, identity, identity};
  auto result = x.send();
  CHECK(result.kind == kind::retry);
  CHECK(result.phase == send_phase::tls);
  CHECK(x.relay.count("EHLO") == 0);
}

TEST_CASE("credentials go out under TLS only") {
  test_identity identity{"localhost"};
  tls_pair x{{smtp::hello({"STARTTLS", "AUTH PLAIN"}), smtp::on("STARTTLS", "220 go"),
              smtp::start_tls(), smtp::on("EHLO", "250-secure\r\n250 AUTH PLAIN"),
              smtp::on("AUTH PLAIN AHVzZXIAcGFzcw==", "235 ok"), smtp::serve()},
             smtp_security::starttls,
             identity,
             identity};
  x.config.username = "user";
  x.config.password = "pass";
  CHECK(x.send().kind == kind::sent);
  CHECK(x.relay.commands().at(3).starts_with("AUTH"));
}

TEST_CASE("a connection lost after the dot is unknown under TLS too") {
  test_identity identity{"localhost"};
  tls_pair x{{smtp::start_tls(), smtp::hello(), smtp::on("MAIL", "250 ok"),
              smtp::on("RCPT", "250 ok"), smtp::on("DATA", "354 go"), smtp::take_mail(),
              smtp::close()},
             smtp_security::tls,
             identity,
             identity};
  CHECK(x.send().kind == kind::unknown);
}

} // namespace
} // namespace notify
