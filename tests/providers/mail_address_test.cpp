#include "actors/providers/mail_address.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace notify {
namespace {

using namespace std::string_literals;

/// An address whose parts are that long.
std::string address_of(size_t local, const std::vector<size_t>& labels) {
  std::string result(local, 'a');
  auto separator = '@';
  for (auto length : labels) {
    result += separator;
    result.append(length, 'b');
    separator = '.';
  }
  return result;
}

TEST_CASE("plain addresses are taken as they are") {
  for (const auto& text :
       {"user@example.com"s, "first.last+tag@mail.example.co.uk"s, "a..b.@example.jp"s,
        "o'neil@example.com"s, "user@[192.0.2.1]"s, "user@[IPv6:2001:db8::1]"s, "x@localhost"s}) {
    INFO(text);
    auto x = parse_mail_address(text);
    REQUIRE(x);
    CHECK(x->text() == text);
    CHECK_FALSE(x->needs_smtputf8());
  }
}

TEST_CASE("an address may be as long as RFC 5321 allows") {
  CHECK(parse_mail_address(address_of(64, {63, 63, 60})));
  CHECK_FALSE(parse_mail_address(address_of(64, {63, 63, 62})));
}

TEST_CASE("a domain outside ASCII becomes its A-label and needs no extension") {
  auto x = parse_mail_address("user@почта.рф");
  REQUIRE(x);
  CHECK(x->text() == "user@xn--80a1acny.xn--p1ai");
  CHECK_FALSE(x->needs_smtputf8());
}

TEST_CASE("a local part outside ASCII needs SMTPUTF8") {
  auto x = parse_mail_address("иван@example.com");
  REQUIRE(x);
  CHECK(x->text() == "иван@example.com");
  CHECK(x->needs_smtputf8());
}

TEST_CASE("addresses that could add a command or a header are refused") {
  for (const auto& text : {""s,
                           "user"s,
                           "@example.com"s,
                           "user@"s,
                           "user@@example.com"s,
                           "a b@example.com"s,
                           "Name <user@example.com>"s,
                           "<user@example.com>"s,
                           "user@example.com>\r\nRCPT TO:<evil@x"s,
                           "user\r\n@example.com"s,
                           "user@example.com\r\n"s,
                           "user@exam\nple.com"s,
                           "us\rer@example.com"s,
                           "us\0er@example.com"s,
                           "user@example.com\0"s,
                           "\"a b\"@example.com"s,
                           "user@-x.com"s,
                           "user@x..com"s,
                           "user@.com"s,
                           "user@x.com."s,
                           "user@exa mple.com"s,
                           "us\xFF@example.com"s,
                           "us\xE2\x80\xA8@example.com"s,
                           "us\xC2\x85@example.com"s,
                           "us\xE2\x80\xAE@example.com"s,
                           "user@\xFF.com"s,
                           "user@\xE2\x80\xA8.com"s,
                           "a,b@example.com"s,
                           "a;b@example.com"s,
                           "a:b@example.com"s,
                           "user@[1 2]"s,
                           "user@[]"s,
                           address_of(65, {3}),
                           address_of(1, {64}),
                           address_of(1, {60, 60, 60, 60, 60})}) {
    INFO(text);
    CHECK_FALSE(parse_mail_address(text));
  }
}

} // namespace
} // namespace notify
