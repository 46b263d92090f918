#include "tools/signal_watch.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <functional>
#include <future>

#include <sys/wait.h>
#include <unistd.h>

// Each case runs in a process of its own, because that is what signals end.

namespace notify {
namespace {

using namespace std::chrono_literals;

/// Runs `body` in a child; its exit code, or 128 + the signal that ended it.
int in_child(const std::function<int()>& body) {
  auto id = fork();
  if (id == 0)
    _exit(body());
  int status = 0;
  waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void nothing() {}

TEST_CASE("the first signal asks for a stop, and a stop in time ends as the program says") {
  for (auto number : {SIGTERM, SIGINT})
    CHECK(in_child([number] {
            std::promise<void> stopped;
            signal_watch watch{1h, [&] { stopped.set_value(); }, nothing};
            kill(getpid(), number);
            stopped.get_future().wait();
            return 42;
          })
          == 42);
}

TEST_CASE("without a signal the watch ends with its object") {
  CHECK(in_child([] {
          signal_watch watch{1h, [] { _exit(1); }, [] { _exit(2); }};
          return 42;
        })
        == 42);
}

TEST_CASE("a second signal ends the process at once") {
  CHECK(in_child([] {
          std::promise<void> stopped;
          signal_watch watch{1h, [&] { stopped.set_value(); }, nothing};
          kill(getpid(), SIGTERM);
          stopped.get_future().wait();
          kill(getpid(), SIGINT);
          std::promise<void>{}.get_future().wait();
          return 42;
        })
        == 130);
}

TEST_CASE("a stop that takes too long ends the process with 4, after a last word") {
  int words[2] = {-1, -1};
  REQUIRE(pipe(words) == 0);
  CHECK(in_child([&] {
          signal_watch watch{50ms, nothing, [&] {
                               if (write(words[1], "x", 1) != 1)
                                 _exit(1);
                             }};
          kill(getpid(), SIGTERM);
          std::promise<void>{}.get_future().wait();
          return 42;
        })
        == 4);
  close(words[1]);
  char last = 0;
  CHECK(read(words[0], &last, 1) == 1);
  close(words[0]);
}

TEST_CASE("SIGHUP asks for a reload as often as it comes, and ends nothing") {
  CHECK(in_child([] {
          std::promise<void> twice;
          std::promise<void> stopped;
          int count = 0;
          signal_watch watch{1h, [&] { stopped.set_value(); }, nothing,
                             [&] {
                               if (++count == 2)
                                 twice.set_value();
                               else
                                 kill(getpid(), SIGHUP);
                             }};
          kill(getpid(), SIGHUP);
          twice.get_future().wait();
          kill(getpid(), SIGTERM);
          stopped.get_future().wait();
          kill(getpid(), SIGHUP); // Neither a reload nor a second signal.
          return 42;
        })
        == 42);
  CHECK(in_child([] {
          signal_watch watch{1h, nothing, nothing};
          kill(getpid(), SIGHUP);
          return 42;
        })
        == 42);
}

TEST_CASE("the deadline can begin without a signal") {
  CHECK(in_child([] {
          signal_watch watch{50ms, [] { _exit(1); }, nothing};
          watch.begin_deadline();
          std::promise<void>{}.get_future().wait();
          return 42;
        })
        == 4);
}

} // namespace
} // namespace notify
