#include "actors/trial_gate.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace notify {
namespace {

TEST_CASE("nobody works beside a trial, and a stream of others does not keep it waiting") {
  trial_gate gate;
  std::atomic<int> inside = 0;
  std::atomic<bool> trial_done = false;
  std::atomic<bool> disturbed = false;
  std::vector<std::jthread> others;
  for (int i = 0; i < 4; ++i)
    others.emplace_back([&] {
      // Overlapping each other without a gap, until the trial is over.
      while (!trial_done) {
        auto turn = gate.enter();
        ++inside;
        std::this_thread::yield();
        --inside;
      }
    });
  {
    auto turn = gate.enter_alone();
    for (int i = 0; i < 1000; ++i) {
      disturbed = disturbed || inside != 0;
      std::this_thread::yield();
    }
  }
  trial_done = true;
  others.clear();
  CHECK_FALSE(disturbed);
}

TEST_CASE("others work side by side") {
  trial_gate gate;
  auto one = gate.enter();
  bool entered = false;
  std::jthread other{[&] {
    auto two = gate.enter();
    entered = two.owns_lock();
  }};
  other.join();
  CHECK(entered);
}

} // namespace
} // namespace notify
