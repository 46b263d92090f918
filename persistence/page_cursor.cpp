#include "persistence/page_cursor.hpp"

#include "messages/error.hpp"

#include <charconv>
#include <vector>

namespace notify {

namespace {

constexpr auto hex_digits = "0123456789abcdef";

std::string to_hex(uint64_t x) {
  std::string result;
  for (int shift = 60; shift >= 0; shift -= 4)
    result += hex_digits[(x >> static_cast<unsigned>(shift)) & 15u];
  return result;
}

caf::error no_cursor() {
  return caf::make_error(ec::invalid_request,
                         std::string{"this cursor was not made by this service"});
}

template <class T>
bool read_number(std::string_view text, T& to) {
  auto* end = text.data() + text.size();
  auto [rest, problem] = std::from_chars(text.data(), end, to);
  return problem == std::errc{} && rest == end;
}

/// Version, question and values, with dots in between: all of them are safe in a URL as they are.
std::string join(char version, std::string_view question, const std::string& first,
                 const std::string& second = {}) {
  auto text = std::string{version} + '.' + std::string{question} + '.' + first;
  return second.empty() ? text : text + '.' + second;
}

/// The values of a cursor of this version and question.
caf::expected<std::vector<std::string_view>> split(std::string_view cursor, char version,
                                                   std::string_view question, size_t values) {
  std::vector<std::string_view> parts;
  for (;;) {
    auto dot = cursor.find('.');
    parts.push_back(cursor.substr(0, dot));
    if (dot == std::string_view::npos)
      break;
    cursor.remove_prefix(dot + 1);
  }
  if (parts.size() != values + 2 || parts[0] != std::string_view{&version, 1})
    return no_cursor();
  if (parts[1] != question)
    return caf::make_error(ec::invalid_request,
                           std::string{"this cursor belongs to other filters: begin again without "
                                       "one"});
  parts.erase(parts.begin(), parts.begin() + 2);
  return parts;
}

} // namespace

question_hash& question_hash::add(std::string_view x) {
  // FNV-1a over the text with its length, so that neighbours cannot run into each other.
  auto mix = [this](unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211ULL; };
  for (auto rest = x.size(); rest > 0; rest >>= 8u)
    mix(static_cast<unsigned char>(rest & 255u));
  mix(0);
  for (auto byte : x)
    mix(static_cast<unsigned char>(byte));
  return *this;
}

std::string question_hash::text() const {
  return to_hex(value_);
}

std::string hash_of(const notification_filter& x) {
  question_hash hash;
  hash.add("notifications");
  for (const auto* text : {&x.status, &x.channel, &x.event_type, &x.recipient, &x.correlation_id,
                           &x.error_code, &x.provider})
    hash.add(*text);
  hash.add(x.event_id ? to_string(*x.event_id) : "");
  for (const auto* time : {&x.created_from_us, &x.created_to_us})
    hash.add(*time ? std::to_string(**time) : "");
  return hash.text();
}

std::string make_cursor(const page_key& key, std::string_view question) {
  return join('k', question, std::to_string(key.at_us), to_string(key.id));
}

caf::expected<page_key> read_cursor(std::string_view cursor, std::string_view question) {
  auto parts = split(cursor, 'k', question, 2);
  if (!parts)
    return parts.error();
  page_key result;
  auto id = uuid::parse(parts->at(1));
  // Nothing else is a time for PostgreSQL.
  if (!read_number(parts->at(0), result.at_us) || result.at_us < 0
      || result.at_us > newest_key.at_us || !id)
    return no_cursor();
  result.id = *id;
  return result;
}

std::string make_id_cursor(int64_t id, std::string_view question) {
  return join('n', question, std::to_string(id));
}

caf::expected<int64_t> read_id_cursor(std::string_view cursor, std::string_view question) {
  auto parts = split(cursor, 'n', question, 1);
  if (!parts)
    return parts.error();
  int64_t result = 0;
  if (!read_number(parts->at(0), result))
    return no_cursor();
  return result;
}

} // namespace notify
