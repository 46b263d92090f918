#include "actors/kafka/partition_tracker.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <map>
#include <set>

namespace notify::kafka {
namespace {

const topic_partition p0{"orders", 0};
const topic_partition p1{"orders", 1};
using partitions = partition_tracker::partitions;

TEST_CASE("a partition that is assigned while the gate is closed is paused at once") {
  partition_tracker tracker;
  CHECK(tracker.close_gate().empty());
  CHECK(tracker.assign({p0}) == partitions{p0});
  CHECK(tracker.open_gate() == partitions{p0});
  CHECK(tracker.open_gate().empty());
}

TEST_CASE("nothing stays paused when it is given up") {
  partition_tracker tracker;
  tracker.assign({p0, p1});
  CHECK(tracker.close_gate() == partitions{p0, p1});
  CHECK(tracker.close_gate().empty());
  tracker.begin_revoke(false);
  CHECK(tracker.finish_revoke() == partitions{p0, p1});
  CHECK(tracker.open_gate().empty());
}

TEST_CASE("a partition that the client refused to pause is not resumed") {
  partition_tracker tracker;
  tracker.assign({p0, p1});
  tracker.close_gate();
  tracker.forget_pause(p0);
  CHECK(tracker.open_gate() == partitions{p1});
}

TEST_CASE("a result counts only under the running assignment and never goes back") {
  partition_tracker tracker;
  CHECK(tracker.advance(p0, 1, 5) == store_verdict::stale);
  tracker.assign({p0});
  auto first = tracker.epoch(p0);
  CHECK(tracker.advance(p0, first, 5) == store_verdict::stored);
  CHECK(tracker.advance(p0, first, 5) == store_verdict::behind);
  CHECK(tracker.advance(p0, first, 4) == store_verdict::behind);
  tracker.begin_revoke(false);
  CHECK_FALSE(tracker.accepts(p0));
  CHECK(tracker.advance(p0, first, 6) == store_verdict::stored);
  tracker.finish_revoke();
  CHECK(tracker.advance(p0, first, 7) == store_verdict::stale);
  CHECK(tracker.epoch(p0) == 0);
  tracker.assign({p0});
  CHECK(tracker.advance(p0, first, 7) == store_verdict::stale);
}

TEST_CASE("nothing counts once the assignment is lost") {
  partition_tracker tracker;
  tracker.assign({p0});
  tracker.begin_revoke(true);
  CHECK(tracker.advance(p0, tracker.epoch(p0), 5) == store_verdict::stale);
}

/// What a client would make of the tracker's orders, and what must hold for it.
struct client_model {
  void pause(const partitions& xs) {
    for (const auto& x : xs)
      RC_ASSERT(paused.insert(x).second);
  }

  void resume(const partitions& xs) {
    for (const auto& x : xs)
      RC_ASSERT(paused.erase(x) == 1u);
  }

  void check() const {
    auto ours = tracker.assigned();
    for (const auto& x : ours)
      RC_ASSERT(paused.contains(x) == !tracker.gate_open());
    for (const auto& x : paused)
      RC_ASSERT(tracker.epoch(x) != 0u);
  }

  /// Partition n if bit n of `mask` is set.
  void assign(int mask) {
    partitions xs;
    for (int id = 0; mask >> id != 0; ++id)
      if ((mask >> id) % 2 == 1)
        xs.push_back({"orders", id});
    pause(tracker.assign(xs));
    stored.clear();
    for (const auto& x : xs) {
      RC_ASSERT(tracker.epoch(x) > last_epoch);
      stored[x] = -1;
    }
    for (const auto& x : xs)
      last_epoch = std::max(last_epoch, tracker.epoch(x));
  }

  void store(int id, uint64_t age, int64_t offset) {
    topic_partition where{"orders", id};
    auto current = tracker.epoch(where);
    auto epoch = current - std::min(age, current);
    auto verdict = tracker.advance(where, epoch, offset);
    if (current == 0 || epoch != current)
      RC_ASSERT(verdict == store_verdict::stale);
    if (verdict == store_verdict::stored) {
      RC_ASSERT(offset > stored[where]);
      stored[where] = offset;
    }
  }

  partition_tracker tracker;
  std::set<topic_partition> paused;
  std::map<topic_partition, int64_t> stored;
  uint64_t last_epoch = 0;
};

TEST_CASE("K-9: pauses and resumes alternate whatever happens in whatever order") {
  auto holds = rc::check([] {
    client_model model;
    auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5));
    for (auto step : steps) {
      auto& tracker = model.tracker;
      auto ours = !tracker.assigned().empty();
      if (step == 0 && !ours)
        model.assign(*rc::gen::inRange(0, 64));
      if (step == 1 && ours)
        tracker.begin_revoke(*rc::gen::arbitrary<bool>());
      if (step == 2 && tracker.revoking())
        model.resume(tracker.finish_revoke());
      if (step == 3) {
        if (*rc::gen::arbitrary<bool>())
          model.resume(tracker.open_gate());
        else
          model.pause(tracker.close_gate());
      }
      if (step == 4)
        model.store(*rc::gen::inRange(0, 6), *rc::gen::inRange(0, 3), *rc::gen::inRange(0, 100));
      model.check();
    }
  });
  CHECK(holds);
}

} // namespace
} // namespace notify::kafka
