#include "messages/error.hpp"
#include "persistence/page_cursor.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace notify {
namespace {

const uuid id{0x0191f8a0b1c27d3eULL, 0x8f4a5b6c7d8e9f01ULL};

TEST_CASE("a cursor keeps its place to the microsecond") {
  for (auto key : {page_key{1'767'225'620'123'457, id}, page_key{0, {}}, newest_key}) {
    auto read = read_cursor(make_cursor(key, "q"), "q");
    REQUIRE(read);
    CHECK(*read == key);
  }
  CHECK(*read_id_cursor(make_id_cursor(9'223'372'036'854'775'807, "q"), "q")
        == 9'223'372'036'854'775'807);
}

TEST_CASE("a cursor needs no escaping in a URL") {
  auto cursor = make_cursor({1, id}, hash_of({}));
  CHECK(cursor.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos);
}

TEST_CASE("what is no cursor of this question is refused") {
  auto good = make_cursor({5, id}, "q");
  for (const auto& bad :
       {std::string{}, std::string{"k"}, good + ".", good + "0", "n" + good, make_id_cursor(5, "q"),
        make_cursor({5, id}, "r"), std::string{"k.q.-1.0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01"},
        std::string{"k.q.99999999999999999999.0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9"
                    "f01"},
        std::string{"k.q.1e3.0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01"}}) {
    INFO(bad);
    auto read = read_cursor(bad, "q");
    REQUIRE_FALSE(read);
    CHECK(read.error() == ec::invalid_request);
  }
}

TEST_CASE("every part of a filter makes another question") {
  std::set<std::string> hashes{hash_of({})};
  notification_filter x;
  auto differs = [&] { return hashes.insert(hash_of(x)).second; };
  for (auto* part : {&x.status, &x.channel, &x.event_type, &x.recipient, &x.correlation_id,
                     &x.error_code, &x.provider}) {
    *part = "a";
    CHECK(differs());
    *part = "ab";
    CHECK(differs());
    part->clear();
  }
  x.event_id = id;
  CHECK(differs());
  x.event_id = caf::none;
  x.created_from_us = 1;
  CHECK(differs());
  x.created_from_us = caf::none;
  x.created_to_us = 1;
  CHECK(differs());
}

} // namespace
} // namespace notify
