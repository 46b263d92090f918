#include "actors/providers/smtp_reply.hpp"
#include "tests/providers/smtp_fixture.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

using state = smtp_parse_state;

smtp_reply parsed(std::string_view bytes) {
  auto result = parse_smtp_reply(bytes);
  REQUIRE(result.state == state::complete);
  return result.reply;
}

TEST_CASE("a reply is read with code, enhanced code and text") {
  struct row {
    std::string bytes;
    int code;
    std::string enhanced;
    std::string text;
  };
  for (const auto& x : {
           row{"250 ok\r\n", 250, "", "ok"},
           row{"250\r\n", 250, "", ""},
           row{"250 \r\n", 250, "", ""},
           row{"250 ok\n", 250, "", "ok"},
           row{"550 5.1.1 no such user\r\n", 550, "5.1.1", "5.1.1 no such user"},
           row{"550 5.1.10\r\n", 550, "5.1.10", "5.1.10"},
           row{"450 4.7.123 wait\r\n", 450, "4.7.123", "4.7.123 wait"},
           row{"250 5 of 6 done\r\n", 250, "", "5 of 6 done"},
           row{"250 1.2.3 x\r\n", 250, "", "1.2.3 x"},
           row{"250 2.1234.0 x\r\n", 250, "", "2.1234.0 x"},
           row{"250 2.0.0.1 x\r\n", 250, "", "2.0.0.1 x"},
           row{"250-a\r\n250-\r\n250 c\r\n", 250, "", "a\n\nc"},
           row{"550-5.7.1 blocked\r\n550 5.7.1 see page\r\n", 550, "5.7.1",
               "5.7.1 blocked\n5.7.1 see page"},
           row{"422 odd\r\n", 422, "", "odd"},
           row{"999 odd\r\n", 999, "", "odd"},
       }) {
    INFO(x.bytes);
    auto reply = parsed(x.bytes);
    CHECK(reply.code == x.code);
    CHECK(reply.enhanced == x.enhanced);
    CHECK(reply.text() == x.text);
  }
}

TEST_CASE("a reply ends at its last line and leaves what follows") {
  auto result = parse_smtp_reply("250-a\r\n250 b\r\n421 bye\r\n");
  REQUIRE(result.state == state::complete);
  CHECK(result.consumed == 14);
  CHECK(result.reply.code == 250);
}

TEST_CASE("a reply in pieces is incomplete until its last byte") {
  const std::string whole = "250-first\r\n250-second\r\n250 last\r\n";
  for (size_t length = 0; length < whole.size(); ++length)
    CHECK(parse_smtp_reply(whole.substr(0, length)).state == state::incomplete);
  CHECK(parse_smtp_reply(whole).state == state::complete);
}

TEST_CASE("what is not a reply is malformed") {
  for (const auto& bytes :
       {std::string{"\r\n"}, std::string{"25\r\n"}, std::string{"hello\r\n"},
        std::string{"250_ok\r\n"}, std::string{"2500 ok\r\n"}, std::string{"-250 ok\r\n"},
        std::string{"250-a\r\n251 b\r\n"}, std::string{"HTTP/1.1 400 Bad Request\r\n"},
        "250 " + test::filled(5000, 'x'), test::filled(5000, '1')}) {
    INFO(bytes.substr(0, 40));
    CHECK(parse_smtp_reply(bytes).state == state::malformed);
  }
}

TEST_CASE("a reply without an end is malformed before it fills the memory") {
  std::string bytes;
  while (bytes.size() < 100'000)
    bytes += "250-more\r\n";
  CHECK(parse_smtp_reply(bytes).state == state::malformed);
}

TEST_CASE("an enhanced code of another class is seen as inconsistent") {
  CHECK(parsed("550 5.1.1 x\r\n").is_consistent());
  CHECK(parsed("550 x\r\n").is_consistent());
  CHECK_FALSE(parsed("450 5.1.1 x\r\n").is_consistent());
}

TEST_CASE("the queue id is found in the forms of common relays") {
  CHECK(smtp_queue_id(parsed("250 2.0.0 Ok: queued as 4F1B2C\r\n")) == "4F1B2C");
  CHECK(smtp_queue_id(parsed("250 OK id=1qZ2aB-0001xy-2K\r\n")) == "1qZ2aB-0001xy-2K");
  CHECK(smtp_queue_id(parsed("250 Ok 0102018a-6b7c-000000\r\n")) == "0102018a-6b7c-000000");
  CHECK(smtp_queue_id(parsed("250 2.6.0 message queued as <abc@host>.\r\n")) == "abc@host");
  CHECK(smtp_queue_id(parsed("250 Ok thanks\r\n")).empty());
  CHECK(smtp_queue_id(parsed("250 Ok message12345 accepted\r\n")).empty());
  CHECK(smtp_queue_id(parsed("250\r\n")).empty());
}

TEST_CASE("extensions are read in any case and form") {
  auto x = parse_smtp_extensions(parsed("250-relay\r\n250-starttls\r\n250-Size 1000\r\n"
                                        "250-auth plain login\r\n250 SmtpUtf8\r\n"));
  CHECK(x.starttls);
  CHECK(x.smtputf8);
  CHECK(x.auth_plain);
  CHECK(x.auth_login);
  CHECK(x.size);
  CHECK(x.size_limit == 1000);
  auto old = parse_smtp_extensions(parsed("250-relay\r\n250-SIZE\r\n250 AUTH=LOGIN\r\n"));
  CHECK(old.auth_login);
  CHECK_FALSE(old.auth_plain);
  CHECK(old.size);
  CHECK(old.size_limit == 0);
  CHECK_FALSE(parse_smtp_extensions(parsed("250 STARTTLS\r\n")).starttls);
  CHECK(parse_smtp_extensions(parsed("250-x\r\n250 SIZE 99999999999999999999\r\n")).size_limit
        == 0);
}

} // namespace
} // namespace notify
