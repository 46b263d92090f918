#include "http/client/http_url.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

TEST_CASE("a URL is taken apart") {
  auto x = parse_http_url("https://API.Example.com:8443/v1/send%20it?a=b&c=%2F#part");
  REQUIRE(x);
  CHECK(x->is_tls);
  CHECK(x->host == "api.example.com");
  CHECK(x->port == 8443);
  CHECK(x->target == "/v1/send%20it?a=b&c=%2F");
  CHECK(x->authority() == "api.example.com:8443");
  CHECK(x->origin() == "https://api.example.com:8443");
}

TEST_CASE("what a URL leaves out has a default") {
  auto plain = parse_http_url("HTTP://example.com");
  REQUIRE(plain);
  CHECK_FALSE(plain->is_tls);
  CHECK(plain->port == 80);
  CHECK(plain->target == "/");
  CHECK(plain->authority() == "example.com");
  auto query = parse_http_url("https://example.com?x=1");
  REQUIRE(query);
  CHECK(query->port == 443);
  CHECK(query->target == "/?x=1");
  CHECK(parse_http_url("https://example.com:443/")->authority() == "example.com");
  CHECK(parse_http_url("http://example.com:443/")->authority() == "example.com:443");
  CHECK(parse_http_url("http://example.com#x")->target == "/");
}

TEST_CASE("an IPv6 address stands in brackets") {
  auto x = parse_http_url("http://[2001:DB8::1]:8080/x");
  REQUIRE(x);
  CHECK(x->host == "2001:db8::1");
  CHECK(x->port == 8080);
  CHECK(x->authority() == "[2001:db8::1]:8080");
  CHECK(parse_http_url("http://[::1]")->authority() == "[::1]");
}

TEST_CASE("what is not a URL of ours is refused") {
  std::string text = GENERATE(
      "", "example.com", "//example.com/", "ftp://example.com/", "http:/example.com/", "http://",
      "http:///path", "http://user@example.com/", "http://user:pass@example.com/",
      "http://a@b@example.com/", "http://example.com:0/", "http://example.com:65536/",
      "http://example.com:/", "http://example.com:80x/", "http://example.com:-1/",
      "http://example.com:+1/", "http://exa mple.com/", "http://example.com/a b",
      "http://example.com/a\tb", "http://example.com/a\r\nX: y", "http://example.com/\x7f",
      "http://ex%61mple.com/", "http://example.com\\@evil.com/", "http://[::1/", "http://::1/",
      "http://[::1]x/", "http://[127.0.0.1]/", "http://[fe80::1%25eth0]/", "http://[]/",
      "http://.example.com/", "http://\xD0\xBF\xD1\x80.example/", "http://example.com/\xC3\xA9",
      " http://example.com/", "http://example.com/ ");
  INFO(text);
  CHECK_FALSE(parse_http_url(text));
}

TEST_CASE("a NUL in a URL is refused") {
  using namespace std::string_literals;
  CHECK_FALSE(parse_http_url("http://example.com/\0x"s));
  CHECK_FALSE(parse_http_url("http://example.com\0.evil.com/"s));
}

TEST_CASE("a host name longer than the DNS has is refused") {
  CHECK(parse_http_url("http://" + std::string(253, 'a') + "/"));
  CHECK_FALSE(parse_http_url("http://" + std::string(254, 'a') + "/"));
}

} // namespace
} // namespace notify
