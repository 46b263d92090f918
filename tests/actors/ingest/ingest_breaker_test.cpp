#include "actors/ingest_breaker.hpp"

#include <catch2/catch.hpp>

namespace notify {
namespace {

using verdicts = std::vector<bool>;

verdicts good(size_t count) {
  return verdicts(count, false);
}

verdicts bad(size_t count) {
  return verdicts(count, true);
}

verdicts operator+(verdicts a, const verdicts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Every fourth record is bad: a share above the limit, and never many in a row.
verdicts quarter_bad(size_t count) {
  verdicts result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(i % 4 == 0);
  return result;
}

TEST_CASE("a row of unfit records is objected to, in one batch or in many") {
  ingest_breaker breaker{{}};
  CHECK_FALSE(breaker.objection(bad(49)));
  CHECK(breaker.objection(bad(50)) == "50 records in a row are unfit");
  CHECK(breaker.objection(good(10) + bad(50) + good(500)));
  breaker.stored(bad(49));
  CHECK(breaker.objection(bad(1)));
  CHECK_FALSE(breaker.objection(good(1) + bad(49)));
  breaker.stored(good(1));
  CHECK_FALSE(breaker.objection(bad(10)));
}

TEST_CASE("a share of unfit records is objected to only after a full window") {
  ingest_breaker breaker{{}};
  CHECK_FALSE(breaker.objection(quarter_bad(199)));
  breaker.stored(quarter_bad(199));
  // Exactly one fifth is allowed, more is not.
  ingest_breaker tight{{}};
  tight.stored(good(160));
  CHECK_FALSE(tight.objection(bad(40)));
  CHECK(tight.objection(bad(41)) == "41 of the last 200 records are unfit");
  CHECK(breaker.objection(good(1) + bad(1)));
}

TEST_CASE("good records are never objected to, and they make room for others") {
  ingest_breaker breaker{{}};
  breaker.stored(quarter_bad(199));
  CHECK_FALSE(breaker.objection(good(1)));
  breaker.stored(good(1));
  CHECK_FALSE(breaker.objection(good(1000)));
  CHECK(breaker.objection(bad(1)));
  breaker.stored(good(200));
  CHECK_FALSE(breaker.objection(bad(10)));
}

TEST_CASE("how records are cut into batches makes no difference") {
  auto all = good(50) + quarter_bad(200) + good(10);
  ingest_breaker one{{}};
  auto whole = one.objection(all);
  REQUIRE(whole);
  ingest_breaker many{{}};
  std::optional<std::string> found;
  for (size_t i = 0; i < all.size() && !found; ++i) {
    found = many.objection(verdicts(1, all[i]));
    many.stored(verdicts(1, all[i]));
  }
  CHECK(found == whole);
}

TEST_CASE("what was objected to is not counted until it is stored") {
  ingest_breaker breaker{{}};
  for (int i = 0; i < 100; ++i)
    CHECK_FALSE(breaker.objection(bad(49)));
  for (int i = 0; i < 100; ++i)
    CHECK(breaker.objection(bad(50)));
  CHECK_FALSE(breaker.objection(bad(49)));
}

TEST_CASE("a breaker that is off objects to nothing") {
  ingest_breaker_policy policy;
  policy.enabled = false;
  ingest_breaker breaker{policy};
  CHECK_FALSE(breaker.objection(bad(1000)));
}

TEST_CASE("limits of the breaker are its policy's") {
  ingest_breaker_policy policy;
  policy.row = 3;
  policy.window = 10;
  policy.share = 0.5;
  ingest_breaker breaker{policy};
  CHECK(breaker.objection(bad(3)));
  breaker.stored(good(10));
  breaker.stored({true, true, false, true, true, false});
  CHECK_FALSE(breaker.objection({true}));
  CHECK(breaker.objection({true, true}));
}

TEST_CASE("a place is news once") {
  ingest_breaker breaker{{}};
  CHECK(breaker.is_news("orders/1 at 7"));
  CHECK_FALSE(breaker.is_news("orders/1 at 7"));
  CHECK(breaker.is_news("orders/2 at 7"));
}

} // namespace
} // namespace notify
