#include "messages/error.hpp"
#include "tests/persistence/store_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <mutex>
#include <thread>

namespace notify {
namespace {

using namespace test;

bool set_paused(claim_store& store, const std::string& channel, bool paused) {
  auto changed = store.set_paused(channel, paused, "alice");
  if (!changed)
    FAIL(render(changed.error()));
  return *changed;
}

caf::timespan reserve(claim_store& store, uint32_t count, caf::timespan interval,
                      const std::string& channel = "email") {
  auto wait = store.reserve_sends(channel, count, interval);
  if (!wait)
    FAIL(render(wait.error()));
  return *wait;
}

TEST_CASE_METHOD(store_fixture, "nothing is claimed from a paused channel, in any process") {
  ingest(db, 2, {"email", "webhook"});
  pg_claim_store other{db.config(), uuid::random()};
  CHECK(set_paused(claims, "email", true));
  CHECK_FALSE(set_paused(other, "email", true));
  CHECK(db.query("select channel, paused_by, paused_at <= now() from notify.channel_pauses")
        == postgres_fixture::rows{{"email", "alice", "t"}});
  for (auto* store : {&claims, &other}) {
    auto jobs = store->claim("email", 10, 60s);
    REQUIRE(jobs);
    CHECK(jobs->empty());
  }
  claim(2, "webhook");
  CHECK(set_paused(other, "email", false));
  CHECK_FALSE(set_paused(claims, "email", false));
  claim(2, "email");
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "what was claimed before a pause can still be recorded or given "
                                "back") {
  ingest(db, 2);
  auto jobs = claim(2);
  set_paused(claims, "email", true);
  record({sample_result(jobs[0], next_step::retry)});
  auto released = claims.release({ref_of(jobs[1])});
  REQUIRE(released);
  CHECK(*released == 1);
  make_due();
  auto none = claims.claim("email", 10, 60s);
  REQUIRE(none);
  CHECK(none->empty());
  set_paused(claims, "email", false);
  claim(2);
  CHECK(misplaced_jobs(db) == 0);
}

TEST_CASE_METHOD(store_fixture, "reserved moments to send follow each other") {
  CHECK(reserve(claims, 3, 1h) == 0s);
  pg_claim_store other{db.config(), uuid::random()};
  // Some time passed since: the distance is a little less than the three moments before it.
  auto second = reserve(other, 1, 1h);
  CHECK(second <= 3h);
  CHECK(second > 3h - 10min);
  auto third = reserve(claims, 5, 1h);
  CHECK(third <= 4h);
  CHECK(third > second);
  CHECK(reserve(claims, 1, 1h, "webhook") == 0s);
  CHECK(reserve(claims, 0, 1h) == 0s);
  CHECK(reserve(claims, 7, 0s) == 0s);
  CHECK(db.value("select next_at - now() between interval '8 hours' and interval '9 hours' "
                 "from notify.channel_rates where channel = 'email'")
        == "t");
}

TEST_CASE_METHOD(store_fixture, "moments that nobody used are not saved up") {
  reserve(claims, 1, 1s);
  db.query("update notify.channel_rates set next_at = now() - interval '1 day'");
  CHECK(reserve(claims, 1, 1h) == 0s);
  CHECK(reserve(claims, 1, 1h) > 50min);
}

TEST_CASE_METHOD(store_fixture, "no two reservations of many processes overlap") {
  constexpr auto interval = std::chrono::microseconds{10s};
  constexpr int processes = 8, rounds = 20, moments = 3;
  std::mutex mutex;
  // The first moment of each, by the database's clock: its distance is told against a clock that
  // has moved on a little when it is read again, never by as much as one interval.
  std::vector<int64_t> firsts;
  auto run = [&] {
    pg_claim_store store{db.config(), uuid::random()};
    raw_connection clock{db.url()};
    for (int i = 0; i < rounds; ++i) {
      auto wait = reserve(store, moments, interval);
      auto now = std::stoll(
          clock.query("select (extract(epoch from clock_timestamp()) * 1000000)::bigint")[0][0]);
      std::lock_guard guard{mutex};
      firsts.push_back(now + std::chrono::duration_cast<std::chrono::microseconds>(wait).count());
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < processes; ++i)
      threads.emplace_back(run);
  }
  std::sort(firsts.begin(), firsts.end());
  REQUIRE(firsts.size() == processes * rounds);
  for (size_t i = 1; i < firsts.size(); ++i)
    CHECK(firsts[i] - firsts[i - 1] > (moments - 1) * interval.count());
  auto total = firsts.back() - firsts.front();
  CHECK(total <= static_cast<int64_t>(firsts.size()) * moments * interval.count());
}

TEST_CASE_METHOD(store_fixture, "a reservation that had to wait for its turn does not begin in "
                                "the past") {
  reserve(claims, 1, 1s);
  db.query("update notify.channel_rates set next_at = now() - interval '1 day'");
  raw_connection holder{db.url()};
  holder.query("begin; select 1 from notify.channel_rates for update");
  caf::timespan wait{-1s};
  std::jthread thread{[&] { wait = reserve(claims, 1, 1h); }};
  CHECK(blocked(db, "claim"));
  auto before = db.value("select clock_timestamp() + interval '1 hour'");
  holder.query("commit");
  thread.join();
  CHECK(wait == 0s);
  CHECK(db.value("select next_at >= '" + before + "' from notify.channel_rates") == "t");
}

TEST_CASE_METHOD(store_fixture, "a reservation further away than a timespan can tell is as far as "
                                "that") {
  auto most = caf::timespan::max();
  CHECK(reserve(claims, 1000, most) == 0s);
  CHECK(reserve(claims, 1000, most) > most / 2);
  CHECK(reserve(claims, 1, 1s) == most);
}

TEST_CASE_METHOD(store_fixture, "names with a NUL are refused instead of cut") {
  const std::string bad{"email\0x", 7};
  for (const auto& err :
       {claims.reserve_sends(bad, 1, 1s).error(), claims.set_paused(bad, true, "x").error(),
        claims.set_paused("email", true, bad).error(), claims.set_paused(bad, false, "x").error()})
    CHECK(err == ec::storage_data);
}

} // namespace
} // namespace notify
