#include "tests/dead_letters/letter_samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace notify::test {

stored_letter sample_letter(int64_t id) {
  auto x = text_letter(id, std::string("v\0\xff", 3));
  x.record.key = {true, std::string("k\0\xfe", 3)};
  x.record.headers = {
      {"trace", {true, std::string("\0{\"\\", 4)}}, {"\xfe", {}}, {"trace", {true, ""}}};
  return x;
}

stored_letter text_letter(int64_t id, const std::string& value) {
  stored_letter x;
  x.record.topic = "orders";
  x.record.partition = 3;
  x.record.offset = 1000 + id;
  x.record.timestamp_ms = 1'788'278'400'000;
  x.record.key = {true, "order-1"};
  x.record.value = {true, value};
  x.info.id = id;
  x.info.topic = x.record.topic;
  x.info.partition = x.record.partition;
  x.info.offset = x.record.offset;
  x.info.timestamp_ms = x.record.timestamp_ms;
  x.info.reason = "not_json";
  x.info.detail = "at byte 1";
  x.info.attempts = 2;
  x.info.first_failed_us = 1'788'278'400'000'000;
  x.info.last_failed_us = 1'788'278'401'000'000;
  x.info.key_bytes = 7;
  x.info.value_bytes = static_cast<int64_t>(value.size());
  return x;
}

dead_letter to_dead_letter(const stored_letter& letter) {
  return {letter.record, letter.info.reason, letter.info.detail, letter.info.event_id};
}

std::string header_of(const std::vector<record_header>& headers, const std::string& name) {
  auto found =
      std::find_if(headers.rbegin(), headers.rend(), [&](const auto& x) { return x.name == name; });
  INFO(name);
  REQUIRE(found != headers.rend());
  return found->value.bytes;
}

size_t header_count(const std::vector<record_header>& headers, const std::string& name) {
  return static_cast<size_t>(
      std::count_if(headers.begin(), headers.end(), [&](const auto& x) { return x.name == name; }));
}

} // namespace notify::test
