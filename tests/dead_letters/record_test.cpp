#include "actors/dead_letter_record.hpp"

#include "messages/safe_text.hpp"
#include "tests/dead_letters/letter_samples.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace test;

const dead_letter_origin origin{"dlq", "group-1", "1.2.3"};

TEST_CASE("a published dead letter is the record as it came, our headers behind its own") {
  auto letter = sample_letter(7);
  auto x = make_dead_letter_record(letter, origin);
  CHECK(x.topic == "dlq");
  CHECK(x.key == letter.record.key);
  CHECK(x.value == letter.record.value);
  REQUIRE(x.headers.size() == letter.record.headers.size() + 13);
  for (size_t i = 0; i < letter.record.headers.size(); ++i)
    CHECK(x.headers[i] == letter.record.headers[i]);
  CHECK(header_of(x.headers, "notify-dlq-id") == "7");
  CHECK(header_of(x.headers, "notify-dlq-reason") == "not_json");
  CHECK(header_of(x.headers, "notify-dlq-detail") == "at byte 1");
  CHECK(header_of(x.headers, "notify-dlq-topic") == "orders");
  CHECK(header_of(x.headers, "notify-dlq-partition") == "3");
  CHECK(header_of(x.headers, "notify-dlq-offset") == "1007");
  CHECK(header_of(x.headers, "notify-dlq-timestamp") == "1788278400000");
  CHECK(header_of(x.headers, "notify-dlq-first-failed-at") == "2026-09-01T16:00:00Z");
  CHECK(header_of(x.headers, "notify-dlq-last-failed-at") == "2026-09-01T16:00:01Z");
  CHECK(header_of(x.headers, "notify-dlq-attempts") == "2");
  CHECK(header_of(x.headers, "notify-dlq-replays") == "0");
  CHECK(header_of(x.headers, "notify-dlq-group") == "group-1");
  CHECK(header_of(x.headers, "notify-dlq-service-version") == "1.2.3");
}

TEST_CASE("K-6: null and empty keys and values stay what they are") {
  auto letter = text_letter(1, "");
  CHECK(make_dead_letter_record(letter, origin).value == nullable_bytes{true, ""});
  letter.record.value = {};
  CHECK(make_dead_letter_record(letter, origin).value == nullable_bytes{});
  letter.record.key = {};
  CHECK(make_dead_letter_record(letter, origin).key == nullable_bytes{});
  letter.record.key = {true, ""};
  CHECK(make_dead_letter_record(letter, origin).key == nullable_bytes{true, ""});
}

TEST_CASE("headers of ours that a record brings are replaced, not repeated") {
  auto letter = sample_letter(7);
  letter.record.headers.insert(letter.record.headers.begin(),
                               {{"notify-dlq-id", {true, "3"}}, {"notify-dlq-old", {}}});
  auto x = make_dead_letter_record(letter, origin);
  CHECK(header_count(x.headers, "notify-dlq-id") == 1);
  CHECK(header_of(x.headers, "notify-dlq-id") == "7");
  CHECK(header_count(x.headers, "notify-dlq-old") == 0);
  CHECK(header_count(x.headers, "trace") == 2);
  CHECK(x.headers.front() == sample_letter(7).record.headers.front());
}

TEST_CASE("our headers are bounded and valid UTF-8") {
  auto letter = sample_letter(7);
  letter.info.detail = "\xff" + std::string(5000, 'x');
  for (size_t i = 0; i < 1000; ++i)
    letter.info.topic += "\xd1\x8f";
  for (const auto& header : make_dead_letter_record(letter, origin).headers) {
    if (!header.name.starts_with("notify-dlq-"))
      continue;
    INFO(header.name);
    CHECK(header.value.bytes.size() <= 1024);
    CHECK(header.value.bytes == safe_text(header.value.bytes, 2048));
  }
}

TEST_CASE("a stub has no body, but what leads to it") {
  auto letter = sample_letter(7);
  letter.record.value = {true, std::string(100'000, 'x')};
  auto x = make_dead_letter_stub(letter, origin, "too_large");
  CHECK_FALSE(x.value.present);
  CHECK(x.key == letter.record.key);
  CHECK(header_count(x.headers, "trace") == 0);
  CHECK(header_of(x.headers, "notify-dlq-id") == "7");
  CHECK(header_of(x.headers, "notify-dlq-stub") == "too_large");
  CHECK(header_of(x.headers, "notify-dlq-value-bytes") == "100000");
  letter.record.key = {true, std::string(2000, 'k')};
  CHECK_FALSE(make_dead_letter_stub(letter, origin, "too_large").key.present);
}

} // namespace
} // namespace notify
