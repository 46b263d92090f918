#include "actors/job_id.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

struct vector_line {
  const char* event_id;
  int64_t occurred_at_us;
  const char* channel;
  const char* recipient;
  const char* template_key;
  const char* job_id;
};

// The table of docs/job-ids.md, computed by the Python recipe there.
constexpr vector_line vectors[] = {
    {"0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01", 1788278400000000, "email", "user@example.com",
     "order-paid.v1", "01a05db2-e400-81d6-b317-f5e42c0e8962"},
    {"0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01", 1788278400000999, "telegram", "123456789",
     "order-paid-telegram.v1", "01a05db2-e400-870a-a2d1-6b5b0e7c77a5"},
    {"0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01", 1788278400001000, "email", "user@example.com",
     "order-paid.v1", "01a05db2-e401-81d6-b317-f5e42c0e8962"},
    {"ffffffff-ffff-ffff-ffff-ffffffffffff", 253402300799999999, "email", "имя@пример.рф",
     "order-created.v1", "e677d21f-dbff-815a-96d4-49ddd451a300"},
    {"00000000-0000-0000-0000-000000000001", 0, "", "", "", "00000000-0000-85c6-a92a-e4be6d80fcf7"},
    {"6ba7b810-9dad-11d1-80b4-00c04fd430c8", 1767225600123456, "a", "bc", "d",
     "019b76da-a87b-8dcc-bdea-65d29cb49b80"},
    {"6ba7b810-9dad-11d1-80b4-00c04fd430c8", 1767225600123456, "ab", "c", "d",
     "019b76da-a87b-82b0-bcea-b7b10919d4ad"},
};

TEST_CASE("a job id follows its documented recipe") {
  for (const auto& x : vectors) {
    auto id = make_job_id(uuid::parse(x.event_id).value(), x.occurred_at_us, x.channel, x.recipient,
                          x.template_key);
    CHECK(to_string(id) == x.job_id);
  }
}

TEST_CASE("a job id is a version 8 UUID of the RFC's variant") {
  for (int i = 0; i < 1000; ++i) {
    auto id = make_job_id(uuid::random(), i, "email", "user@example.com", "order-paid.v1");
    CHECK(((id.high >> 12) & 0xF) == 8);
    CHECK((id.low >> 62) == 2);
  }
}

TEST_CASE("later events have greater job ids, whatever they are about") {
  auto last = make_job_id(uuid::random(), 0, "email", "a@b", "t");
  for (int64_t ms = 1; ms < 1000; ++ms) {
    auto id = make_job_id(uuid::random(), ms * 1000, "email", "a@b", "t");
    CHECK(last < id);
    last = id;
  }
}

TEST_CASE("each of the four fields makes another job id") {
  auto event = uuid::random();
  auto id = make_job_id(event, 0, "email", "a@b", "t");
  CHECK(id == make_job_id(event, 0, "email", "a@b", "t"));
  CHECK(id != make_job_id(uuid::random(), 0, "email", "a@b", "t"));
  CHECK(id != make_job_id(event, 0, "sms", "a@b", "t"));
  CHECK(id != make_job_id(event, 0, "email", "A@b", "t"));
  CHECK(id != make_job_id(event, 0, "email", "a@b", "u"));
}

TEST_CASE("a time before 1970 counts as 1970") {
  auto event = uuid::random();
  CHECK(make_job_id(event, -1, "email", "a@b", "t") == make_job_id(event, 0, "email", "a@b", "t"));
}

} // namespace
} // namespace notify
