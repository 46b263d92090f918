#include "messages/uuid.hpp"

#include "messages/hex.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid.hpp>

#include <array>

namespace notify {

std::optional<uuid> uuid::parse(std::string_view text) {
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}')
    text = text.substr(1, text.size() - 2);
  std::array<uint64_t, 2> words{};
  size_t digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    // PostgreSQL takes a hyphen after any group of four digits, and only there.
    if (text[i] == '-' && digits > 0 && digits < 32 && digits % 4 == 0 && text[i - 1] != '-')
      continue;
    auto value = hex_value(text[i]);
    if (value < 0 || digits == 32)
      return std::nullopt;
    auto& word = words.at(digits / 16);
    word = (word << 4) | static_cast<uint64_t>(value);
    ++digits;
  }
  if (digits != 32)
    return std::nullopt;
  return uuid{words[0], words[1]};
}

uuid uuid::random() {
  thread_local boost::uuids::random_generator_mt19937 generator;
  auto bytes = generator();
  uuid result;
  for (size_t i = 0; i < 8; ++i) {
    result.high = (result.high << 8) | bytes.data[i];
    result.low = (result.low << 8) | bytes.data[i + 8];
  }
  return result;
}

std::string to_string(const uuid& x) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20)
      text += '-';
    auto word = i < 16 ? x.high : x.low;
    text += digits[(word >> (60 - 4 * (i % 16))) & 0xF];
  }
  return text;
}

} // namespace notify
