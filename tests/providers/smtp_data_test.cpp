#include "actors/providers/smtp_data.hpp"
#include "tests/support/scripted_smtp.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace notify {
namespace {

TEST_CASE("mail data has CRLF lines and doubled leading dots") {
  struct row {
    std::string message, data;
  };
  for (const auto& x : {
           row{"", ""},
           row{"a", "a\r\n"},
           row{"a\r\n", "a\r\n"},
           row{".", "..\r\n"},
           row{"..", "...\r\n"},
           row{".x\r\n", "..x\r\n"},
           row{"a.\r\n", "a.\r\n"},
           row{"a\n.\nb", "a\r\n..\r\nb\r\n"},
           row{"a\r.\rb", "a\r\n..\r\nb\r\n"},
           row{"a\r\n.\r\nb", "a\r\n..\r\nb\r\n"},
           row{"\r\n.\r\n", "\r\n..\r\n"},
           row{"\n\r\n", "\r\n\r\n"},
           row{"\r\r\n", "\r\n\r\n"},
           row{"a\n\n", "a\r\n\r\n"},
       }) {
    INFO(x.message);
    CHECK(encode_smtp_data(x.message) == x.data);
  }
}

TEST_CASE("mail data never holds the end of a mail and is undone by a relay") {
  // Every text of up to six characters out of those that matter.
  const std::string alphabet = ".\r\na";
  for (size_t number = 0; number < 4096; ++number) {
    std::string message = "x";
    for (auto rest = number; rest > 0; rest /= 4)
      message += alphabet[rest % 4];
    auto data = encode_smtp_data(message);
    INFO(number);
    REQUIRE(data.find("\r\n.\r\n") == std::string::npos);
    REQUIRE(data.ends_with("\r\n"));
    auto restored = test::undo_dot_stuffing(data);
    // The relay has the same text in canonical lines: encoding it again changes nothing.
    REQUIRE(encode_smtp_data(restored) == data);
    for (size_t i = 0; i < data.size(); ++i)
      REQUIRE((data[i] != '\n' || data[i - 1] == '\r'));
  }
}

} // namespace
} // namespace notify
