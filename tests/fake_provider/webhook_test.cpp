#include "tests/fake_provider/fixture.hpp"
#include "tools/fake_provider/digest.hpp"

#include <catch2/catch.hpp>

#include <ctime>

namespace notify::fake::test {
namespace {

// The key of both is the same 24 bytes; computed by another program.
constexpr auto secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";
constexpr auto key = "012345678901234567890123";

provider_config with_secret() {
  provider_config result;
  result.known.webhook_secrets = {"whsec_b3RoZXIga2V5IG90aGVyIGtleSBvdGhlciE=", secret};
  return result;
}

std::string signed_post(const std::string& time, const std::string& signature) {
  return post("/hooks/orders", R"({"a":1})",
              "webhook-id: msg_1\r\nwebhook-timestamp: " + time
                  + "\r\nwebhook-signature: " + signature + "\r\n");
}

std::string signature_at(const std::string& time) {
  return "v1," + hmac_base64(key, "msg_1." + time + R"(.{"a":1})");
}

TEST_CASE("the digests are those of other programs") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(from_base64("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz") == key);
  CHECK(from_base64("YQ==") == "a");
  CHECK(from_base64("YWI=") == "ab");
  CHECK(from_base64("not base64").empty());
  CHECK(hmac_base64(key, "msg_1.1700000000.{}") == "hmXGLnNyF9xj0t3bu2NbHtTjiBY8aTGhgmj3SmIHdd8=");
}

TEST_CASE("any other path is a webhook, known by its id") {
  provider x{{}};
  auto answer = ask(x.http_port(), post("/hooks/orders", "{}", "webhook-id: msg_1\r\n"));
  CHECK(answer.status == 200);
  CHECK(answer.body.empty());
  auto seen = x.records();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].via == protocol::webhook);
  CHECK(seen[0].recipient == "/hooks/orders");
  CHECK(seen[0].key == "msg_1");
}

TEST_CASE("a webhook that is signed with any of the secrets is taken") {
  provider x{with_secret()};
  auto now = std::to_string(std::time(nullptr));
  CHECK(ask(x.http_port(), signed_post(now, signature_at(now))).status == 200);
  CHECK(ask(x.http_port(), signed_post(now, "v1,AAAA " + signature_at(now))).status == 200);
}

TEST_CASE("a webhook without a good signature is refused with the reason") {
  provider x{with_secret()};
  auto now = std::to_string(std::time(nullptr));
  auto old = std::to_string(std::time(nullptr) - 3600);
  auto problem_of = [&](const std::string& bytes) {
    auto status = ask(x.http_port(), bytes).status;
    return std::to_string(status) + ' ' + x.records().back().problem;
  };
  CHECK(problem_of(post("/hooks/orders", "{}")).starts_with("401 webhook-id"));
  CHECK(problem_of(signed_post(now, "v1,AAAA")) == "401 no signature matches");
  CHECK(problem_of(signed_post(now, signature_at(old))) == "401 no signature matches");
  CHECK(problem_of(signed_post(old, signature_at(old)))
        == "401 webhook-timestamp is too far from now");
  CHECK(problem_of(signed_post("soon", signature_at("soon")))
        == "401 webhook-timestamp is not a number");
  for (const auto& one : x.records())
    CHECK_FALSE(one.accepted);
}

TEST_CASE("a webhook is a POST") {
  provider x{{}};
  client visitor{x.http_port()};
  visitor.get("/hooks/orders");
  CHECK(visitor.read().status == 405);
}

} // namespace
} // namespace notify::fake::test
