#include "tests/actors/ingest/consumer_fixture.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;
using kafka::topic_partition;
using offsets = std::vector<int64_t>;

const topic_partition p0{"orders", 0};
const topic_partition p1{"orders", 1};

using fixture = test::consumer_fixture;

TEST_CASE_METHOD(fixture,
                 "a revoke waits for batches in flight, then stores, commits and gives up") {
  join({p0});
  source->bring(p0, 0, 2);
  turns();
  source->bring(p0, 2, 2);
  source->revoke();
  turns();
  CHECK(source->revokes_finished == 0);
  CHECK(status().state == "revoking");
  holder().store();
  turns();
  CHECK(source->stored[p0] == 2);
  CHECK(source->commits == 1);
  CHECK(source->revokes_finished == 1);
  // The two that no writer had are the next owner's.
  CHECK(held_batches() == 0);
  CHECK(status().state == "joining");
}

TEST_CASE_METHOD(fixture,
                 "a revoke waits no longer than its limit, and what comes later is stale") {
  join({p0});
  source->bring(p0, 0, 2);
  turns();
  source->revoke();
  turns();
  pass(config.drain_timeout - 1ms);
  CHECK(source->revokes_finished == 0);
  pass(1ms);
  CHECK(source->revokes_finished == 1);
  CHECK(source->commits == 0);
  source->assign({p0});
  turns();
  holder().store();
  turns();
  CHECK(source->stored.empty());
  CHECK(counter("stale_results") == 1);
}

TEST_CASE_METHOD(fixture, "a lost assignment is given up at once and without a commit") {
  join({p0});
  source->bring(p0, 0, 2);
  turns();
  source->revoke(true);
  turns();
  CHECK(source->revokes_finished == 1);
  holder().store();
  turns();
  CHECK(source->commits == 0);
  CHECK(source->stored.empty());
}

TEST_CASE_METHOD(fixture, "a partition that comes back starts after the stale batch came home") {
  join({p0});
  source->bring(p0, 0, 2);
  turns();
  source->revoke(true);
  source->assign({p0});
  source->bring(p0, 0, 3);
  turns();
  // Never two batches of one partition at a time, not even of different epochs.
  CHECK(held(p0) == offsets{0, 1});
  holder().store();
  turns();
  CHECK(held(p0) == offsets{0, 1, 2});
  holder().store();
  turns();
  CHECK(source->stored[p0] == 3);
}

TEST_CASE_METHOD(fixture, "a gate that was closed over a rebalance opens for the new partitions") {
  join({p0});
  source->bring(p0, 0, 2);
  turns();
  holder().fail(ec::storage_unavailable);
  turns();
  source->revoke();
  turns();
  CHECK(source->revokes_finished == 1);
  CHECK(source->paused.empty());
  source->assign({p0, p1});
  turns();
  CHECK(source->paused == std::set{p0, p1});
  // Nothing of the old batch is ours any more, and still something must find out that the
  // database is back.
  pass(5s);
  REQUIRE(held_batches() == 1);
  CHECK(held(p0).empty());
  holder().store();
  turns();
  CHECK(source->paused.empty());
  CHECK(source->stored.empty());
  source->bring(p0, 0, 1);
  turns();
  CHECK(held(p0) == offsets{0});
}

TEST_CASE_METHOD(fixture, "shutdown stores what is in flight, commits, leaves and ends") {
  join({p0});
  source->bring(p0, 0, 12);
  turns();
  self->monitor(consumer);
  self->send_exit(consumer, caf::exit_reason::user_shutdown);
  turns();
  CHECK(source->paused == std::set{p0});
  CHECK_FALSE(source->closing);
  CHECK(status().state == "stopping");
  holder().store();
  settle();
  CHECK(source->stored[p0] == 10);
  CHECK(source->commits == 1);
  CHECK(source->closing);
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == caf::exit_reason::user_shutdown); });
}

TEST_CASE_METHOD(fixture, "shutdown is bounded when neither storage nor the broker answers") {
  join({p0});
  source->answer_commits = source->answer_close = false;
  source->bring(p0, 0, 1);
  turns();
  self->monitor(consumer);
  self->send_exit(consumer, caf::exit_reason::user_shutdown);
  turns();
  pass(config.close_timeout / 2);
  CHECK(source->closing);
  pass(config.close_timeout / 2);
  turns();
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == caf::exit_reason::user_shutdown); });
}

TEST_CASE_METHOD(fixture, "shutdown waits for the last commit, within its share of the time") {
  join({p0});
  source->answer_commits = false;
  source->bring(p0, 0, 1);
  turns();
  holder().store();
  turns();
  REQUIRE(source->commits == 1);
  self->monitor(consumer);
  self->send_exit(consumer, caf::exit_reason::user_shutdown);
  turns();
  pass(config.close_timeout * 3 / 4 - 1ms);
  CHECK_FALSE(source->closing);
  pass(1ms);
  settle();
  CHECK(source->closing);
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == caf::exit_reason::user_shutdown); });
}

TEST_CASE_METHOD(fixture, "shutdown during an outage does not wait for the database") {
  join({p0});
  source->bring(p0, 0, 1);
  turns();
  holder().fail(ec::storage_unavailable);
  turns();
  self->monitor(consumer);
  self->send_exit(consumer, caf::exit_reason::user_shutdown);
  turns();
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == caf::exit_reason::user_shutdown); });
}

TEST_CASE_METHOD(fixture, "shutdown before the group was joined ends at once") {
  spawn();
  self->monitor(consumer);
  self->send_exit(consumer, caf::exit_reason::user_shutdown);
  turns();
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == caf::exit_reason::user_shutdown); });
  CHECK_FALSE(source->joined);
}

TEST_CASE_METHOD(fixture, "a client that gave up ends the consumer with its reason") {
  join({p0});
  self->monitor(consumer);
  source->events.emplace_back(
      kafka::source_failed{caf::make_error(ec::kafka_fatal, std::string{"fenced"})});
  turns();
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == ec::kafka_fatal); });
}

TEST_CASE_METHOD(test::actor_fixture, "a consumer that cannot be configured ends with the reason") {
  auto make = []() -> caf::expected<std::unique_ptr<kafka::record_source>> {
    return caf::make_error(ec::invalid_config, std::string{"kafka.brokers"});
  };
  auto consumer =
      system.spawn(notify::consumer, consumer_config{}, record_source_factory{make},
                   writer_resolver{[] { return std::vector<inbox_writer_actor>{}; }}, tracer{});
  self->monitor(consumer);
  settle();
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == ec::invalid_config); });
}

} // namespace
} // namespace notify
