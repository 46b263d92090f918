#include "actors/lease_reaper.hpp"

#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_stores.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;

struct lease_reaper_fixture : test::actor_fixture {
  lease_reaper_fixture() { settle(); }
  ~lease_reaper_fixture() { stop(reaper); }

  std::shared_ptr<test::fake_reaper_store> store = std::make_shared<test::fake_reaper_store>();
  lease_reaper_actor reaper = system.spawn(lease_reaper, reaper_config{5s, 20, 5}, store);
};

TEST_CASE_METHOD(lease_reaper_fixture, "the reaper ends all expired leases, in small batches") {
  store->expired = 50;
  advance(4999ms);
  CHECK(store->expired == 50u);
  advance(2501ms);
  CHECK(store->expired == 0u);
  CHECK(store->passes == 3u);
}

TEST_CASE_METHOD(lease_reaper_fixture, "the reaper keeps ticking while the storage is down") {
  store->expired = 10;
  store->available = false;
  advance(8s);
  CHECK(ask<actor_status>(reaper, get_status{})->last_error
        == "storage_unavailable(\"switched off\")");
  store->available = true;
  advance(8s);
  CHECK(store->expired == 0u);
}

TEST_CASE_METHOD(lease_reaper_fixture,
                 "the reaper tells a caller what it did, or why it could not") {
  store->expired = 5;
  CHECK(ask<reap_report>(reaper, reap_now{})->released == 5u);
  store->available = false;
  auto report = ask<reap_report>(reaper, reap_now{});
  REQUIRE_FALSE(report);
  CHECK(report.error() == ec::storage_unavailable);
}

TEST_CASE_METHOD(lease_reaper_fixture, "the reaper's dead count for their channel") {
  auto metrics = private_metrics();
  auto counting = system.spawn(lease_reaper, measured{reaper_config{5s, 20, 5}, metrics}, store);
  store->expired = 25;
  store->worn_out = {{"email", 2}, {"telegram", 1}};
  auto report = ask<reap_report>(counting, reap_now{});
  REQUIRE(report);
  CHECK(count_dead(*report) == 3u);
  CHECK(metrics->channel("email").dead["reclaim_limit"].Value() == 2);
  CHECK(metrics->channel("telegram").dead["reclaim_limit"].Value() == 1);
  CHECK(metrics->delivery.reclaims_expired.Value() == 28);
  CHECK(ask<actor_status>(counting, get_status{})->counters["dead"] == 3);
  stop(counting);
}

} // namespace
} // namespace notify
