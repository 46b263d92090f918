#include "persistence/pg_array.hpp"

#include "persistence/sql_error.hpp"

#include <chrono>
#include <cstdio>

namespace notify {

namespace {

constexpr size_t memory_worth_keeping = size_t{4} << 20u;

constexpr auto nul_in_text = "text with a NUL";

// Far beyond every real event, and what year_month_day can count.
constexpr int64_t most_microseconds = int64_t{30000} * 366 * 86400 * 1000000;

} // namespace

void pg_array::begin_element() {
  if (text_.size() == 2)
    text_.pop_back();
  else
    text_.back() = ',';
}

void pg_array::append(std::string_view element) {
  begin_element();
  text_ += element;
  text_ += '}';
}

void pg_array::add_text(std::string_view x) {
  begin_element();
  text_ += '"';
  size_t copied = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == '\0')
      throw refused_value{nul_in_text};
    if (x[i] != '"' && x[i] != '\\')
      continue;
    text_.append(x, copied, i - copied);
    text_ += '\\';
    copied = i;
  }
  text_.append(x, copied);
  text_ += "\"}";
}

void pg_array::add_text_or_null(std::string_view x) {
  if (x.empty())
    add_null();
  else
    add_text(x);
}

void pg_array::add_bytes(std::string_view x) {
  static constexpr char digits[] = "0123456789abcdef";
  begin_element();
  text_.reserve(text_.size() + 2 * x.size() + 8);
  text_ += "\"\\\\x";
  for (unsigned char c : x) {
    text_ += digits[c >> 4];
    text_ += digits[c & 0xF];
  }
  text_ += "\"}";
}

void pg_array::add_int(int64_t x) {
  append(std::to_string(x));
}

void pg_array::add_uuid(const uuid& x) {
  append(to_string(x));
}

void pg_array::add_uuid(const std::optional<uuid>& x) {
  if (x)
    add_uuid(*x);
  else
    add_null();
}

void pg_array::add_time(int64_t microseconds) {
  using namespace std::chrono;
  if (microseconds > most_microseconds || microseconds < -most_microseconds)
    throw refused_value{"time out of range"};
  sys_time<std::chrono::microseconds> time{std::chrono::microseconds{microseconds}};
  auto day = floor<days>(time);
  year_month_day date{day};
  hh_mm_ss clock{time - day};
  auto year = static_cast<int>(date.year());
  // PostgreSQL has no year 0: it is 1 BC.
  char buffer[64];
  auto size = std::snprintf(
      buffer, sizeof buffer, "\"%04d-%02u-%02u %02d:%02d:%02d.%06d+00%s\"",
      year > 0 ? year : 1 - year, static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
      static_cast<int>(clock.subseconds().count()), year > 0 ? "" : " BC");
  append(std::string_view{buffer, static_cast<size_t>(size)});
}

void pg_array::add_time(const std::optional<int64_t>& microseconds) {
  if (microseconds)
    add_time(*microseconds);
  else
    add_null();
}

void pg_array::clear() {
  if (text_.capacity() > memory_worth_keeping)
    text_ = std::string{};
  text_ = "{}";
}

const std::string& without_nul(const std::string& x) {
  if (x.find('\0') != std::string::npos)
    throw refused_value{nul_in_text};
  return x;
}

} // namespace notify
