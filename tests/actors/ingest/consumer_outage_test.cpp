#include "tests/actors/ingest/consumer_fixture.hpp"
#include "tests/support/line_capture.hpp"

// What the consumer does with batches that are not stored.

namespace notify {
namespace {

using namespace std::chrono_literals;
using kafka::topic_partition;
using offsets = std::vector<int64_t>;

const topic_partition p0{"orders", 0};
const topic_partition p1{"orders", 1};

using fixture = test::consumer_fixture;

TEST_CASE_METHOD(fixture, "a failed batch stays in front of everything newer") {
  join({p0});
  source->bring(p0, 0, 2);
  turns();
  holder().fail(ec::storage_conflict);
  source->bring(p0, 2, 2);
  turns();
  CHECK(held_batches() == 0);
  CHECK(status().last_error == "storage_conflict(\"scripted\")");
  pass(1s);
  CHECK(held(p0) == offsets{0, 1});
  holder().store();
  turns();
  CHECK(source->stored[p0] == 2);
  CHECK(held(p0) == offsets{2, 3});
  CHECK(status().last_error.empty());
}

TEST_CASE_METHOD(fixture, "an outage pauses every partition until a batch is stored again") {
  join({p0, p1});
  source->bring(p0, 0, 2);
  turns();
  holder().fail(ec::storage_unavailable);
  turns();
  CHECK(source->paused == std::set{p0, p1});
  CHECK(status().state == "paused");
  source->bring(p1, 0, 1); // Was on its way already.
  turns();
  CHECK(held(p1).empty());
  for (int i = 0; i < 5; ++i) {
    pass(5s);
    REQUIRE(held(p0) == offsets{0, 1});
    holder().fail(ec::storage_unavailable);
    turns();
  }
  pass(5s);
  holder().store();
  turns();
  CHECK(source->paused.empty());
  CHECK(source->stored[p0] == 2);
  CHECK(held(p1) == offsets{0});
  CHECK(status().counters.at("store_errors") == 6);
}

TEST_CASE_METHOD(fixture, "a halted batch keeps everything paused and is tried ever more rarely") {
  join({p0, p1});
  source->bring(p0, 0, 2);
  source->bring(p1, 0, 2);
  turns();
  REQUIRE(held_batches() == 1);
  auto tries = 0;
  for (auto waited = 0; waited < 600; ++waited) {
    if (held_batches() > 0) {
      ++tries;
      holder().fail(ec::ingest_halted);
      turns();
    }
    CHECK(source->paused == std::set{p0, p1});
    pass(1s);
  }
  // Doubling from 100 ms to a minute and a quarter of jitter.
  CHECK(tries >= 14);
  CHECK(tries <= 22);
  CHECK(status().state == "halted");
  CHECK(status().last_error == "ingest_halted(\"scripted\")");
  for (auto waited = 0; waited < 80 && held_batches() == 0; ++waited)
    pass(1s);
  holder().store();
  turns();
  CHECK(source->paused.empty());
  CHECK(status().state == "assigned");
  CHECK(status().last_error.empty());
  CHECK(source->stored[p0] == 2);
}

TEST_CASE_METHOD(fixture, "what another partition stores does not end a halt") {
  join({p0, p1});
  source->bring(p0, 0, 2);
  turns();
  source->bring(p1, 0, 2);
  turns();
  REQUIRE(held_batches() == 2);
  auto first = scripts[0]->waiting.front().batch.records.front().partition == 0 ? 0 : 1;
  scripts[static_cast<size_t>(first)]->fail(ec::ingest_halted);
  turns();
  CHECK(status().state == "halted");
  holder().store();
  turns();
  CHECK(source->stored[p1] == 2);
  CHECK(source->paused == std::set{p0, p1});
  CHECK(status().state == "halted");
  CHECK(status().last_error == "ingest_halted(\"scripted\")");
}

TEST_CASE_METHOD(fixture, "an outage is retried within five seconds, however long it lasts") {
  join({p0});
  source->bring(p0, 0, 1);
  turns();
  for (int i = 0; i < 20; ++i) {
    REQUIRE(held(p0) == offsets{0});
    holder().fail(ec::storage_unavailable);
    turns();
    pass(5s);
  }
}

TEST_CASE_METHOD(fixture, "a batch of a writer that crashed goes to another one") {
  join({p0});
  source->bring(p0, 0, 2);
  turns();
  auto victim = scripts[0]->waiting.empty() ? 1u : 0u;
  self->send((*writers)[victim], crash_now{"test"});
  turns(); // It dies without an answer.
  scripts[victim]->waiting.clear();
  writers->erase(writers->begin() + victim);
  pass(config.store_timeout);
  pass(1s);
  CHECK(held(p0) == offsets{0, 1});
  holder().store();
  turns();
  CHECK(source->stored[p0] == 2);
}

TEST_CASE_METHOD(fixture, "records wait while there is no writer at all") {
  join({p0});
  auto all = *writers;
  writers->clear();
  source->bring(p0, 0, 2);
  turns();
  CHECK(held_batches() == 0);
  *writers = all;
  turns();
  CHECK(held(p0) == offsets{0, 1});
}

TEST_CASE_METHOD(fixture, "an hour of outage is a handful of lines in the log") {
  join({p0});
  test::line_capture capture{[this] { return scheduler.clock().now(); }};
  source->bring(p0, 0, 1);
  turns();
  size_t tries = 0;
  for (int i = 0; i < 720; ++i) {
    if (held_batches() > 0) {
      ++tries;
      holder().fail(ec::storage_unavailable);
      turns();
    }
    pass(5s);
  }
  CAPTURE(capture.lines());
  CHECK(tries > 600);
  CHECK(capture.count("batch not stored") >= 5);
  CHECK(capture.lines().size() <= 20);
  if (held_batches() == 0)
    pass(5s);
  holder().store();
  turns();
  CHECK(capture.count("storage is back") == 1);
}

} // namespace
} // namespace notify
