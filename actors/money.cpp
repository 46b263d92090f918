#include "actors/money.hpp"

#include <algorithm>
#include <array>

namespace notify {

namespace {

constexpr size_t max_digits = 40;

/// How a language writes numbers with a currency.
struct number_style {
  std::string_view thousands;
  std::string_view decimal;
  bool currency_first;
};

constexpr number_style english{",", ".", true};
constexpr number_style russian{"\u00A0", ",", false};

struct currency_symbol {
  std::string_view code;
  std::string_view symbol;
};

/// Only symbols that a Russian reader cannot mistake for another currency.
constexpr currency_symbol russian_symbols[] = {
    {"RUB", "₽"}, {"USD", "$"}, {"EUR", "€"}, {"GBP", "£"}, {"KZT", "₸"}, {"UAH", "₴"},
};

template <size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view code) {
  return std::find(list.begin(), list.end(), code) != list.end();
}

/// Digits of the minor unit by ISO 4217; 2 for a code that is not listed here.
size_t minor_digits(std::string_view code) {
  constexpr std::array<std::string_view, 17> none = {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY",
                                                     "KMF", "KRW", "PYG", "RWF", "UGX", "UYI",
                                                     "VND", "VUV", "XAF", "XOF", "XPF"};
  constexpr std::array<std::string_view, 7> three = {"BHD", "IQD", "JOD", "KWD",
                                                     "LYD", "OMR", "TND"};
  constexpr std::array<std::string_view, 2> four = {"CLF", "UYW"};
  if (contains(none, code))
    return 0;
  if (contains(three, code))
    return 3;
  return contains(four, code) ? 4 : 2;
}

std::optional<std::string> currency_code(std::string_view text) {
  std::string result{text};
  for (auto& c : result) {
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
    if (c < 'A' || c > 'Z')
      return std::nullopt;
  }
  return result.size() == 3 ? std::optional{result} : std::nullopt;
}

/// Puts `separator` between every three digits, counted from the right.
std::string group(std::string_view digits, std::string_view separator) {
  std::string result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      result += separator;
    result += digits[i];
  }
  return result;
}

std::string_view russian_name(std::string_view code) {
  const auto* found = std::find_if(std::begin(russian_symbols), std::end(russian_symbols),
                                   [&](const auto& x) { return x.code == code; });
  return found != std::end(russian_symbols) ? found->symbol : code;
}

} // namespace

std::optional<std::string> format_amount(std::string_view minor_units, std::string_view currency,
                                         std::string_view language) {
  auto code = currency_code(currency);
  auto negative = minor_units.starts_with('-');
  std::string digits{minor_units.substr(negative ? 1 : 0)};
  if (!code || digits.empty() || digits.size() > max_digits
      || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  auto minor = minor_digits(*code);
  if (digits.size() <= minor)
    digits.insert(0, minor + 1 - digits.size(), '0');
  const auto& style = language == "ru" ? russian : english;
  auto whole = std::string_view{digits}.substr(0, digits.size() - minor);
  std::string number = negative ? "-" : "";
  number += group(whole, style.thousands);
  if (minor > 0) {
    number += style.decimal;
    number += std::string_view{digits}.substr(digits.size() - minor);
  }
  if (style.currency_first)
    return *code + " " + number;
  number += style.thousands;
  number += russian_name(*code);
  return number;
}

} // namespace notify
