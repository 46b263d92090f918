#include "actors/lease_reaper.hpp"
#include "tests/support/delivery_fixture.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/line_capture.hpp"

// What an hour without a database leaves in the log; tests/actors/ingest has the consumer's part.

namespace notify {
namespace {

using namespace std::chrono_literals;

/// A database that is away for everybody who delivers.
class broken_queue : public test::memory_queue {
public:
  using memory_queue::memory_queue;

  caf::expected<std::vector<delivery_job>> claim(const std::string& channel, uint32_t limit,
                                                 caf::timespan lease) override {
    return away ? test::outage() : memory_queue::claim(channel, limit, lease);
  }

  caf::expected<std::vector<bool>> record(const std::vector<attempt_result>& results,
                                          const std::vector<int64_t>& done) override {
    return away ? test::outage() : memory_queue::record(results, done);
  }

  bool away = false;
};

struct delivery_outage : test::delivery_fixture {
  delivery_outage() {
    channel("email").slots = 4;
    queue = broken;
    adapter("email").rule = [](const send_request&) {
      return test::outcome_of(outcome_kind::sent);
    };
  }

  std::shared_ptr<broken_queue> broken = std::make_shared<broken_queue>([this] { return now(); });
};

TEST_CASE_METHOD(delivery_outage, "an hour without a database is a handful of lines of delivery") {
  start();
  queue->add("email", 3);
  pass(1s);
  broken->away = true;
  queue->add("email", 3);
  test::line_capture capture{[this] { return now(); }};
  pass(1h, 1s);
  CAPTURE(capture.lines());
  CHECK(capture.lines().size() >= 1);
  CHECK(capture.lines().size() <= 16);
  broken->away = false;
  pass(1min);
  CHECK(queue->count(next_step::sent) == 6);
}

TEST_CASE_METHOD(test::actor_fixture,
                 "an hour without a database is a handful of lines of the rest") {
  auto leases = std::make_shared<test::fake_reaper_store>();
  leases->available = false;
  auto reaper = system.spawn(lease_reaper, reaper_config{5s, 20, 5}, leases);
  settle();
  test::line_capture capture{[this] { return scheduler.clock().now(); }};
  for (int i = 0; i < 3600; ++i)
    advance(1s);
  CAPTURE(capture.lines());
  CHECK(leases->passes > 400);
  CHECK(capture.count("pass failed") >= 5);
  CHECK(capture.count("pass failed") <= 8);
  stop(reaper);
}

} // namespace
} // namespace notify
