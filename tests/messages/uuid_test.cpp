#include "messages/uuid.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

TEST_CASE("a uuid is read in every form that PostgreSQL reads") {
  auto expected = uuid{0x0191f8a0b1c27d3eULL, 0x8f4a5b6c7d8e9f01ULL};
  for (auto text : {"0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01", "0191F8A0-B1C2-7D3E-8F4A-5B6C7D8E9F01",
                    "{0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01}", "0191f8a0b1c27d3e8f4a5b6c7d8e9f01",
                    "0191-f8a0b1c2-7d3e8f4a-5b6c7d8e9f01"}) {
    INFO(text);
    CHECK(uuid::parse(text) == expected);
  }
  CHECK(to_string(expected) == "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01");
}

TEST_CASE("text that PostgreSQL refuses as a uuid is refused") {
  for (auto text : {"", "{}", "0191f8a0", "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f0",
                    "0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f012", "g191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01",
                    "0191f8a0--b1c2-7d3e-8f4a-5b6c7d8e9f01", "-0191f8a0b1c27d3e8f4a5b6c7d8e9f01",
                    "{0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01", "0191f8a0b1c27d3e8f4a5b6c7d8e9f01-"}) {
    INFO(text);
    CHECK_FALSE(uuid::parse(text).has_value());
  }
}

TEST_CASE("random uuids are version 4 and differ") {
  auto a = uuid::random();
  auto b = uuid::random();
  CHECK(a != b);
  CHECK(((a.high >> 12) & 0xF) == 4);
  CHECK((a.low >> 62) == 2);
}

} // namespace
} // namespace notify
