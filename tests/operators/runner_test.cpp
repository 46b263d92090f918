#include "actors/operation_runner.hpp"
#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_stores.hpp"

#include <deque>

namespace notify::test {
namespace {

using namespace std::chrono_literals;

/// Answers what the test wrote down; then there is nothing to do.
class fake_operation_store : public operation_store {
public:
  caf::expected<operation_step> work(const operation_batch& batch) override {
    batches.push_back(batch.acts);
    if (answers.empty())
      return operation_step{};
    auto answer = answers.front();
    answers.pop_front();
    return answer;
  }

  std::deque<caf::expected<operation_step>> answers;
  std::vector<uint32_t> batches;
};

struct runner_fixture : actor_fixture {
  runner_fixture() { settle(); }
  ~runner_fixture() { stop(runner); }

  actor_status status() { return *ask<actor_status>(runner, get_status{}); }

  std::shared_ptr<fake_operation_store> store = std::make_shared<fake_operation_store>();
  operation_runner_actor runner =
      system.spawn(operation_runner, operation_runner_config{10s, 100ms, {400, 4000}}, store);
};

TEST_CASE_METHOD(runner_fixture, "a runner looks for operations by itself, and at once if it hears "
                                 "of one") {
  advance(9999ms);
  CHECK(store->batches.empty());
  advance(5001ms);
  CHECK(store->batches.size() == 1);
  CHECK(status().state == "idle");
  self->send(runner, operation_stored{1});
  settle();
  CHECK(store->batches.size() == 2);
}

TEST_CASE_METHOD(runner_fixture, "a runner goes from batch to batch with a pause in between") {
  store->answers = {operation_step{1, false, 400, 300}, operation_step{1, true, 10, 10}};
  self->send(runner, operation_stored{1});
  settle();
  CHECK(status().state == "working");
  advance(99ms);
  CHECK(store->batches.size() == 1);
  advance(1ms);
  CHECK(store->batches.size() == 2);
  advance(100ms);
  CHECK(store->batches.size() == 3);
  advance(100ms);
  CHECK(store->batches.size() == 3);
  CHECK(status().counters
        == std::map<std::string, int64_t>{
            {"matched", 410}, {"done", 310}, {"finished", 1}, {"errors", 0}});
  CHECK(status().since_success_ms == 100);
}

TEST_CASE_METHOD(runner_fixture, "Q-B26: after a conflict a runner tries less, and more again when "
                                 "it goes well") {
  store->answers = {caf::make_error(ec::storage_conflict), operation_step{1, false, 1, 1},
                    operation_step{1, false, 1, 1}, operation_step{1, false, 1, 1}};
  self->send(runner, operation_stored{1});
  settle();
  CHECK(status().state == "waiting for storage");
  advance(15s);
  for (int i = 0; i < 3; ++i)
    advance(100ms);
  CHECK(store->batches == std::vector<uint32_t>{400, 100, 200, 400, 400});
  CHECK(status().counters.at("errors") == 1);
}

TEST_CASE_METHOD(runner_fixture, "an outage only delays an operation") {
  store->answers = {outage(), outage(), operation_step{1, true, 1, 1}};
  self->send(runner, operation_stored{1});
  settle();
  CHECK_FALSE(status().last_error.empty());
  advance(15s);
  advance(15s);
  advance(15s);
  CHECK(status().last_error.empty());
  CHECK(status().counters.at("finished") == 1);
}

} // namespace
} // namespace notify::test
