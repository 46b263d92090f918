#include "tests/actors/ingest/consumer_fixture.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;
using kafka::topic_partition;
using offsets = std::vector<int64_t>;

const topic_partition p0{"orders", 0};
const topic_partition p1{"orders", 1};
const topic_partition p2{"orders", 2};

using fixture = test::consumer_fixture;

TEST_CASE_METHOD(fixture, "the consumer joins the group only after storage answered") {
  spawn();
  CHECK_FALSE(source->joined);
  CHECK(holder().waiting.front().batch.records.empty());
  holder().fail(ec::storage_unavailable);
  settle();
  CHECK_FALSE(source->joined);
  scheduler.clock().advance_time(1s);
  settle();
  REQUIRE(held_batches() == 1);
  holder().store();
  turns();
  CHECK(source->joined);
  CHECK(status().state == "joining");
}

TEST_CASE_METHOD(fixture, "a batch holds all that its partitions brought, one in flight for each") {
  join({p0, p1});
  source->bring(p0, 100, 3);
  source->bring(p1, 7, 2);
  turns();
  REQUIRE(held_batches() == 1);
  CHECK(held(p0) == offsets{100, 101, 102});
  CHECK(held(p1) == offsets{7, 8});
  source->bring(p0, 103, 2);
  turns();
  CHECK(held_batches() == 1);
  CHECK(source->stored.empty());
  holder().store();
  turns();
  CHECK(source->stored[p0] == 103);
  CHECK(source->stored[p1] == 9);
  CHECK(held(p0) == offsets{103, 104});
}

TEST_CASE_METHOD(fixture, "partitions are spread over the writers, one batch for each writer") {
  join({p0, p1, p2});
  source->bring(p0, 0, 10);
  source->bring(p1, 0, 10);
  source->bring(p2, 0, 10);
  turns();
  CHECK(scripts[0]->waiting.size() == 1);
  CHECK(scripts[1]->waiting.size() == 1);
  CHECK(status().counters.at("in_flight") == 2);
  holder().store();
  turns();
  CHECK(held_batches() == 2);
  // The third one did not starve behind the first two.
  CHECK(held(p2).size() == 10);
}

TEST_CASE_METHOD(fixture, "a full buffer stops the polling until half of it is stored") {
  join({p0});
  source->bring(p0, 0, 50);
  turns();
  auto polls = source->timeouts.size();
  pass(10ms);
  CHECK(source->timeouts.size() == polls);
  CHECK(counter("buffered") == 40);
  holder().store();
  pass(2ms);
  CHECK(source->timeouts.size() == polls); // 30 left.
  holder().store();
  pass(2ms);
  pass(2ms);
  CHECK(source->timeouts.size() > polls); // 20 left, and the rest came.
  CHECK(counter("buffered") == 30);
  CHECK(source->paused.empty());
  CHECK(status().state == "assigned");
}

TEST_CASE_METHOD(fixture, "a buffer that stays full pauses the partitions and polls on") {
  join({p0});
  source->bring(p0, 0, 40);
  turns();
  pass(499ms);
  CHECK(source->paused.empty());
  pass(2ms);
  CHECK(source->paused == std::set{p0});
  auto polls = source->timeouts.size();
  pass(10ms);
  CHECK(source->timeouts.size() > polls);
  holder().store();
  turns();
  CHECK(source->paused == std::set{p0}); // 30 left.
  holder().store();
  turns();
  CHECK(source->paused.empty()); // 20 left.
}

TEST_CASE_METHOD(fixture, "too many bytes fill the buffer as well") {
  join({p0});
  source->bring(p0, 0, 1, std::string(config.buffer_bytes, 'x'));
  turns();
  pass(501ms);
  CHECK(source->paused == std::set{p0});
  holder().store();
  turns();
  CHECK(source->paused.empty());
}

TEST_CASE_METHOD(fixture,
                 "offsets are committed once in an interval and only if some were stored") {
  join({p0});
  pass(1s);
  CHECK(source->commits == 0);
  source->bring(p0, 0, 1);
  turns();
  holder().store();
  turns();
  CHECK(source->commits == 1);
  source->bring(p0, 1, 1);
  turns();
  holder().store();
  turns();
  CHECK(source->commits == 1);
  pass(500ms);
  CHECK(source->commits == 2);
  pass(5s);
  CHECK(source->commits == 2);
  CHECK(counter("commits") == 2);
}

TEST_CASE_METHOD(fixture, "a commit that failed is tried again, without a right only slowly") {
  join({p0});
  source->verdict = kafka::commit_verdict::retry;
  source->bring(p0, 0, 1);
  turns();
  holder().store();
  turns();
  pass(500ms);
  CHECK(source->commits == 2);
  source->verdict = kafka::commit_verdict::denied;
  pass(500ms);
  CHECK(source->commits == 3);
  pass(20s);
  CHECK(source->commits == 3);
  CHECK(status().last_error == "commit: scripted");
  source->verdict = kafka::commit_verdict::committed;
  pass(10s);
  CHECK(source->commits == 4);
  pass(60s);
  CHECK(source->commits == 4);
}

TEST_CASE_METHOD(fixture,
                 "polls are long when there is nothing to do and short when answers are due") {
  join({p0});
  turns();
  CHECK(source->timeouts.back() == 100ms);
  source->bring(p0, 0, 1);
  turns();
  CHECK(source->timeouts.back() <= 2ms);
  holder().store();
  turns();
  CHECK(source->timeouts.back() == 100ms);
}

TEST_CASE_METHOD(fixture, "a partition without a valid offset is shown and stops nobody else") {
  join({p0, p1});
  source->events.emplace_back(kafka::partition_stalled{p0, "no offset"});
  source->bring(p1, 0, 1);
  turns();
  auto now = status();
  CHECK(now.state == "stalled");
  CHECK(now.last_error == "orders/0: no offset");
  CHECK(now.counters.at("stalled") == 1);
  CHECK(held(p1) == offsets{0});
}

TEST_CASE_METHOD(fixture, "the status tells how far the consumer is") {
  join({p0, p1});
  source->bring(p0, 0, 3);
  source->events.emplace_back(kafka::partition_end{p1, 0});
  source->events.emplace_back(kafka::lag_measured{{{p0, 5}, {p1, 2}}});
  turns();
  auto now = status();
  CHECK(now.name == "consumer");
  CHECK(now.state == "assigned");
  CHECK(now.processed == 3);
  CHECK(now.counters.at("assigned") == 2);
  CHECK(now.counters.at("paused") == 0);
  CHECK(now.counters.at("buffered") == 3);
  CHECK(now.counters.at("rebalances") == 1);
  CHECK(now.counters.at("at_end") == 1);
  CHECK(now.counters.at("lag") == 7);
  CHECK(now.counters.at("lag.orders/0") == 5);
}

TEST_CASE_METHOD(fixture, "records that wait for a minute without being fetched raise an alarm") {
  join({p0});
  source->events.emplace_back(kafka::lag_measured{{{p0, 5}}});
  turns();
  CHECK(counter("silent") == 0);
  pass(61s);
  source->events.emplace_back(kafka::lag_measured{{{p0, 5}}});
  turns();
  CHECK(counter("silent") == 1);
  source->bring(p0, 0, 1);
  turns();
  CHECK(counter("silent") == 0);
}

TEST_CASE_METHOD(fixture, "K-8: a partition that is stuck is told apart from those that flow") {
  join({p0, p1});
  auto measure = [&] {
    source->events.emplace_back(kafka::lag_measured{{{p0, 5}, {p1, 3}}});
    turns();
  };
  pass(30s);
  source->bring(p1, 0, 1);
  turns();
  holder().store();
  pass(31s);
  measure();
  CHECK(counter("silent") == 1);
  CHECK(counter("lag.orders/0") == 5);
  pass(30s);
  measure();
  CHECK(counter("silent") == 2);
}

TEST_CASE_METHOD(fixture, "partitions that were paused are given their time anew") {
  join({p0});
  source->bring(p0, 0, 1);
  turns();
  holder().fail(ec::storage_unavailable);
  turns();
  pass(59s);
  REQUIRE(held_batches() == 1);
  source->events.emplace_back(kafka::lag_measured{{{p0, 5}}});
  pass(2s);
  CHECK(counter("silent") == 0);
  CHECK(counter("paused") == 1);
  holder().store();
  turns();
  source->events.emplace_back(kafka::lag_measured{{{p0, 5}}});
  turns();
  CHECK(counter("silent") == 0);
  pass(61s);
  source->events.emplace_back(kafka::lag_measured{{{p0, 5}}});
  turns();
  CHECK(counter("silent") == 1);
}

TEST_CASE_METHOD(fixture, "a crash order ends the consumer with its reason") {
  join({p0});
  self->monitor(consumer);
  self->send(consumer, crash_now{"on purpose"});
  turns();
  self->receive([](const caf::down_msg& x) {
    CHECK(x.reason == ec::crashed);
    CHECK(render(x.reason) == "crashed(\"on purpose\")");
  });
}

} // namespace
} // namespace notify
