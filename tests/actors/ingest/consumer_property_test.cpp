#include "tests/actors/ingest/consumer_fixture.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <variant>

namespace notify {
namespace {

using namespace std::chrono_literals;
using kafka::topic_partition;

constexpr int partition_count = 3;
constexpr int all_partitions = (1 << partition_count) - 1;

topic_partition partition(int n) {
  return {"orders", n};
}

/// A broker, two writers and a group that do what they like, in any order.
struct chaos : test::consumer_fixture {
  chaos() {
    spawn();
    scripts[0]->store();
    turns();
  }

  /// The consumer did not read the group's last word yet.
  bool undecided() const {
    return std::any_of(source->events.begin(), source->events.end(), [](const auto& x) {
      return std::holds_alternative<kafka::partitions_assigned>(x)
             || std::holds_alternative<kafka::partitions_revoking>(x);
    });
  }

  bool assigned() const { return !source->tracker.assigned().empty(); }

  /// Partition n if bit n of `mask` is set.
  void assign(int mask) {
    if (undecided() || assigned() || mask == 0)
      return;
    std::vector<topic_partition> xs;
    for (int id = 0; id < partition_count; ++id) {
      if ((mask & (1 << id)) == 0)
        continue;
      xs.push_back(partition(id));
      // A new owner starts where the last one left off.
      position[id] = source->stored[partition(id)];
    }
    source->assign(xs);
  }

  void revoke(bool lost) {
    if (!undecided() && assigned() && !source->tracker.revoking())
      source->revoke(lost);
  }

  void bring(int id, int count) {
    auto where = partition(id);
    if (!source->tracker.accepts(where) || source->paused.contains(where))
      return;
    source->bring(where, position[id], count);
    position[id] += count;
  }

  void answer(size_t writer, ec code) {
    auto& script = *scripts[writer];
    if (script.waiting.empty())
      return;
    if (code == ec::none)
      for (const auto& x : script.waiting.front().batch.records)
        durable[x.partition].insert(x.offset);
    script.answer(code);
  }

  int64_t first_missing(int id) {
    int64_t result = 0;
    for (auto offset : durable[id]) {
      if (offset != result)
        break;
      ++result;
    }
    return result;
  }

  void check() {
    RC_ASSERT(source->faults.empty());
    for (int id = 0; id < partition_count; ++id) {
      RC_ASSERT(source->stored[partition(id)] <= first_missing(id));
      auto offsets = held(partition(id));
      for (size_t i = 1; i < offsets.size(); ++i)
        RC_ASSERT(offsets[i] == offsets[i - 1] + 1);
      RC_ASSERT(batches_of(id) <= 1);
    }
    for (const auto& script : scripts)
      RC_ASSERT(script->waiting.size() <= 1u);
  }

  int batches_of(int id) const {
    int result = 0;
    for (const auto& script : scripts)
      for (const auto& x : script->waiting)
        result += std::any_of(x.batch.records.begin(), x.batch.records.end(),
                              [&](const auto& record) { return record.partition == id; });
    return result;
  }

  /// Everything works again: what was brought must become durable.
  void heal() {
    for (int round = 0; round < 20; ++round) {
      assign(all_partitions);
      for (size_t writer = 0; writer < scripts.size(); ++writer)
        answer(writer, ec::none);
      turns();
      pass(5s);
    }
    for (int id = 0; id < partition_count; ++id)
      bring(id, 1);
    for (int round = 0; round < 5; ++round) {
      turns();
      for (size_t writer = 0; writer < scripts.size(); ++writer)
        answer(writer, ec::none);
      turns();
    }
    RC_ASSERT(source->paused.empty());
    for (const auto& where : source->tracker.assigned())
      RC_ASSERT(source->stored[where] == position[where.partition]);
  }

  std::map<int, int64_t> position;
  std::map<int, std::set<int64_t>> durable;
};

void act(chaos& x, int what) {
  switch (what) {
  case 0:
    x.revoke(*rc::gen::arbitrary<bool>());
    break;
  case 1:
    x.assign(*rc::gen::inRange(0, all_partitions + 1));
    break;
  case 2:
    x.pass(std::chrono::milliseconds{*rc::gen::inRange(1, 3000)});
    break;
  case 3:
  case 4:
    x.answer(*rc::gen::inRange<size_t>(0, 2),
             *rc::gen::element(ec::none, ec::none, ec::storage_unavailable, ec::storage_conflict));
    break;
  default:
    x.bring(*rc::gen::inRange(0, partition_count), *rc::gen::inRange(1, 30));
  }
}

TEST_CASE("no offset is ever ahead of what is durable, and everything becomes durable in the end") {
  auto holds = rc::check([] {
    chaos x;
    auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
    x.assign(all_partitions);
    x.turns();
    for (auto step : steps) {
      act(x, step);
      x.turns();
      x.check();
    }
    x.heal();
    x.check();
  });
  CHECK(holds);
}

} // namespace
} // namespace notify
