#include "tests/fake_provider/fixture.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace notify::fake::test {
namespace {

using notify::test::eventually;

TEST_CASE("Resend takes a mail and tells its id") {
  provider x{{}};
  auto answer = ask(x.http_port(), resend_mail("k1"));
  CHECK(answer.status == 200);
  CHECK(answer.headers.at("content-type") == "application/json");
  CHECK(answer.body == R"({"id":"00000000-0000-4000-8000-000000000001"})");
  auto seen = x.records();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].via == protocol::resend);
  CHECK(seen[0].recipient == "anna@example.com");
  CHECK(seen[0].key == "k1");
  CHECK(seen[0].body_hash.size() == 64);
  CHECK(seen[0].accepted);
  CHECK(seen[0].answered == 200);
}

TEST_CASE("the same key and body get the first answer and are not sent again") {
  provider x{{}};
  auto first = ask(x.http_port(), resend_mail("k1"));
  auto second = ask(x.http_port(), resend_mail("k1"));
  CHECK(second.status == 200);
  CHECK(second.body == first.body);
  auto counts = x.tallies();
  REQUIRE(counts.size() == 1);
  CHECK(counts[0].requests == 2);
  CHECK(counts[0].accepted == 1);
  CHECK(x.records()[1].replayed);
  CHECK(ask(x.http_port(), resend_mail("k2")).body != first.body);
}

TEST_CASE("the same key with another body is refused") {
  provider x{{}};
  ask(x.http_port(), resend_mail("k1"));
  auto answer = ask(x.http_port(), resend_mail("k1", "Other"));
  CHECK(answer.status == 409);
  CHECK(answer.body.find("invalid_idempotent_request") != std::string::npos);
  CHECK(x.tallies()[0].accepted == 1);
}

TEST_CASE("a key in progress is refused, after its answer it gets that answer") {
  provider x{{}};
  x.set_script(R"([{"match": {"attempt": 1}, "action": {"do": "hold"}}])");
  client slow{x.http_port()};
  slow.send(resend_mail("k1"));
  REQUIRE(eventually([&] { return x.waiting() == 1; }));
  CHECK(x.records()[0].accepted);
  CHECK(x.records()[0].state == "waiting");
  auto meanwhile = ask(x.http_port(), resend_mail("k1"));
  CHECK(meanwhile.status == 409);
  CHECK(meanwhile.body.find("concurrent_idempotent_requests") != std::string::npos);
  CHECK(x.release() == 1);
  auto first = slow.read();
  CHECK(first.status == 200);
  CHECK(ask(x.http_port(), resend_mail("k1")).body == first.body);
  CHECK(x.tallies()[0].accepted == 1);
}

TEST_CASE("a client that leaves while its answer is held has sent its mail all the same") {
  provider x{{}};
  x.set_script(R"([{"match": {"attempt": 1}, "action": {"do": "hold"}}])");
  {
    client victim{x.http_port()};
    victim.send(resend_mail("k1"));
    REQUIRE(eventually([&] { return x.waiting() == 1; }));
  }
  REQUIRE(eventually([&] { return x.records()[0].state == "gone"; }));
  CHECK(x.waiting() == 0);
  CHECK(ask(x.http_port(), resend_mail("k1")).status == 200);
  CHECK(x.tallies()[0].requests == 2);
  CHECK(x.tallies()[0].accepted == 1);
}

TEST_CASE("an error that came after the acceptance hides a mail that was sent") {
  provider x{{}};
  x.set_script(R"([{"times": 1, "action": {"status": 500, "accept": true}}])");
  CHECK(ask(x.http_port(), resend_mail("k1")).status == 500);
  auto again = ask(x.http_port(), resend_mail("k1"));
  CHECK(again.status == 200);
  CHECK(again.body.find("000000000001") != std::string::npos);
  CHECK(x.tallies()[0].accepted == 1);
}

TEST_CASE("an error before the acceptance leaves the key free") {
  provider x{{}};
  x.set_script(R"([{"times": 1, "action": {"named": "resend_500"}}])");
  auto first = ask(x.http_port(), resend_mail("k1"));
  CHECK(first.status == 500);
  CHECK(first.body.find("application_error") != std::string::npos);
  CHECK(ask(x.http_port(), resend_mail("k1", "Other")).status == 200);
  CHECK(x.tallies()[0].accepted == 1);
}

TEST_CASE("Resend refuses what the real one would") {
  provider_config config;
  config.known.resend_key = "right";
  provider x{config};
  auto login = std::string{"Authorization: Bearer right\r\n"};
  auto status = [&](const std::string& body, const std::string& headers) {
    auto answer = ask(x.http_port(), post("/emails", body, headers));
    return std::to_string(answer.status) + ' ' + answer.body;
  };
  auto mail = std::string{R"({"from":"a@b.c","to":"d@e.f","subject":"s"})"};
  CHECK(status(mail, login).starts_with("200"));
  CHECK(status(mail, "").find(R"(401 {"statusCode":401,"name":"missing_api_key")") == 0);
  CHECK(status(mail, "Authorization: Bearer wrong\r\n").find("invalid_api_key")
        != std::string::npos);
  CHECK(status("not json", login).starts_with("400"));
  CHECK(status(R"({"from":"a@b.c","to":"d@e.f"})", login).find("missing_required_field")
        != std::string::npos);
  CHECK(status(R"({"from":"a@b.c","to":"nobody","subject":"s"})", login).starts_with("422"));
  CHECK(status(mail, login + "Idempotency-Key: " + std::string(257, 'k') + "\r\n")
            .find("invalid_idempotency_key")
        != std::string::npos);
  auto seen = x.records();
  CHECK(std::count_if(seen.begin(), seen.end(), [](const auto& r) { return r.accepted; }) == 1);
  CHECK(seen[1].problem == "no bearer token");
}

} // namespace
} // namespace notify::fake::test
