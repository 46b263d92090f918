#include "tests/support/wait.hpp"

#include <condition_variable>
#include <mutex>

namespace notify::test {

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock{mutex};
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    never.wait_for(lock, std::chrono::milliseconds{10});
  }
  return true;
}

} // namespace notify::test
