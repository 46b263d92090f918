#include "actors/traceparent.hpp"

namespace notify {

namespace {

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

} // namespace

std::string read_traceparent(std::string_view text) {
  // version "-" trace-id "-" parent-id "-" flags
  constexpr size_t length = 55;
  if (text.size() < length || text[2] != '-' || text[35] != '-' || text[52] != '-')
    return {};
  auto version = text.substr(0, 2);
  auto trace_id = text.substr(3, 32);
  auto parent_id = text.substr(36, 16);
  auto flags = text.substr(53, 2);
  if (!is_lower_hex(version) || !is_lower_hex(trace_id) || !is_lower_hex(parent_id)
      || !is_lower_hex(flags) || is_zero(trace_id) || is_zero(parent_id) || version == "ff")
    return {};
  if (version == "00")
    return text.size() == length ? std::string{text} : std::string{};
  if (text.size() > length && text[length] != '-')
    return {};
  auto sampled = std::string_view{"13579bdf"}.find(flags[1]) != std::string_view::npos;
  // Our own version is 00, and sampled the only flag that it knows.
  std::string result(length, '0');
  text.copy(result.data() + 2, length - 4, 2);
  result.back() = sampled ? '1' : '0';
  return result;
}

} // namespace notify
