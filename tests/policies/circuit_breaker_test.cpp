#include "actors/circuit_breaker.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;
using enum outcome_kind;

struct breaker_fixture {
  /// One send from begin to end; returns false if the breaker did not let it begin.
  bool send(outcome_kind kind) {
    if (breaker.limit(now) == 0)
      return false;
    breaker.finish(kind, breaker.begin(), now);
    return true;
  }

  circuit_breaker breaker{{3, 30s, 2min}};
  circuit_breaker::time_point now{};
};

TEST_CASE_METHOD(breaker_fixture, "failures in a row open the breaker, an answer ends the row") {
  for (auto kind : {retry, unknown, sent, retry, retry, permanent, retry, unknown, retry_after}) {
    REQUIRE(send(kind));
    CHECK_FALSE(breaker.is_open());
  }
  REQUIRE(send(retry));
  REQUIRE(send(unknown));
  REQUIRE(send(retry));
  CHECK(breaker.is_open());
  CHECK_FALSE(send(sent));
}

TEST_CASE_METHOD(breaker_fixture, "a refusal of our account opens it at once") {
  REQUIRE(send(hold));
  CHECK(breaker.is_open());
  CHECK(breaker.limit(now) == 0);
}

TEST_CASE_METHOD(breaker_fixture, "one probe at a time decides, and waits double up to their cap") {
  REQUIRE(send(hold));
  for (auto wait : {30s, 60s, 120s, 120s}) {
    CHECK(breaker.probe_at() == now + wait);
    now += wait - 1ns;
    CHECK(breaker.limit(now) == 0);
    now += 1ns;
    CHECK(breaker.limit(now) == 1);
    REQUIRE(send(hold));
  }
  now += 120s;
  REQUIRE(send(sent));
  CHECK(breaker.limit(now) == circuit_breaker::unlimited);
  REQUIRE(send(hold));
  CHECK(breaker.probe_at() == now + 30s);
}

TEST_CASE_METHOD(breaker_fixture, "what was begun before it opened neither closes nor delays it") {
  auto before = breaker.begin();
  REQUIRE(send(hold));
  auto due = breaker.probe_at();
  now += 10s;
  breaker.finish(sent, before, now);
  breaker.finish(hold, before, now);
  CHECK(breaker.is_open());
  CHECK(breaker.probe_at() == due);
}

TEST_CASE_METHOD(breaker_fixture, "a probe that we broke off ourselves decides nothing") {
  REQUIRE(send(hold));
  now += 30s;
  REQUIRE(send(interrupted));
  CHECK(breaker.limit(now) == 1);
  REQUIRE(send(permanent));
  CHECK_FALSE(breaker.is_open());
}

TEST_CASE("a breaker without a number of failures only heeds refusals of our account") {
  circuit_breaker breaker{{0, 30s, 2min}};
  for (int i = 0; i < 100; ++i)
    breaker.finish(retry, breaker.begin(), {});
  CHECK_FALSE(breaker.is_open());
  breaker.finish(hold, breaker.begin(), {});
  CHECK(breaker.is_open());
}

} // namespace
} // namespace notify
