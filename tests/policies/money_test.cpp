#include "actors/money.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

struct line {
  const char* minor_units;
  const char* currency;
  const char* language;
  const char* expected;
};

TEST_CASE("an amount is written by its currency and language") {
  const line lines[] = {
      {"998000", "RUB", "en", "RUB 9,980.00"},
      {"998000", "RUB", "ru", "9\u00A0980,00\u00A0₽"},
      {"998000", "rub", "ru", "9\u00A0980,00\u00A0₽"},
      {"998000", "RUB", "de", "RUB 9,980.00"},
      {"998000", "JPY", "en", "JPY 998,000"},
      {"998000", "JPY", "ru", "998\u00A0000\u00A0JPY"},
      {"998000", "KWD", "en", "KWD 998.000"},
      {"998000", "CLF", "en", "CLF 99.8000"},
      {"998000", "XYZ", "en", "XYZ 9,980.00"},
      {"0", "RUB", "en", "RUB 0.00"},
      {"0", "JPY", "en", "JPY 0"},
      {"5", "RUB", "en", "RUB 0.05"},
      {"50", "USD", "ru", "0,50\u00A0$"},
      {"100", "EUR", "ru", "1,00\u00A0€"},
      {"5", "KWD", "en", "KWD 0.005"},
      {"99999", "RUB", "en", "RUB 999.99"},
      {"100000", "RUB", "en", "RUB 1,000.00"},
      {"100000000", "RUB", "en", "RUB 1,000,000.00"},
      {"-998000", "RUB", "en", "RUB -9,980.00"},
      {"-998000", "RUB", "ru", "-9\u00A0980,00\u00A0₽"},
      {"18446744073709551616", "USD", "en", "USD 184,467,440,737,095,516.16"},
  };
  for (const auto& x : lines) {
    INFO(x.minor_units << " " << x.currency << " " << x.language);
    CHECK(format_amount(x.minor_units, x.currency, x.language) == x.expected);
  }
}

TEST_CASE("what is not an integer with a currency is not an amount") {
  for (auto text : {"", "-", "12.5", "1e3", "+5", " 5", "abc", "--5",
                    "12345678901234567890123456789012345678901"})
    CHECK_FALSE(format_amount(text, "RUB", "en"));
  for (auto code : {"", "RU", "RUBL", "R1B", "₽", "RU "})
    CHECK_FALSE(format_amount("100", code, "en"));
}

} // namespace
} // namespace notify
