#include "tools/signal_watch.hpp"

#include "tools/exit_codes.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

#include <pthread.h>
#include <unistd.h>

namespace notify {

namespace {

/// Wakes the watching thread; nothing else uses it.
constexpr int wake_signal = SIGUSR1;

sigset_t watched_signals() {
  sigset_t result;
  sigemptyset(&result);
  sigaddset(&result, SIGTERM);
  sigaddset(&result, SIGINT);
  sigaddset(&result, SIGHUP);
  sigaddset(&result, wake_signal);
  return result;
}

/// Waits for one of our signals; 0 once `end` is over.
int wait_until(std::chrono::steady_clock::time_point end) {
  using namespace std::chrono;
  auto signals = watched_signals();
  for (;;) {
    auto left = end - steady_clock::now();
    if (left <= left.zero())
      return 0;
    auto whole = duration_cast<seconds>(left);
    timespec limit{};
    limit.tv_sec = whole.count();
    limit.tv_nsec = duration_cast<nanoseconds>(left - whole).count();
    auto number = sigtimedwait(&signals, nullptr, &limit);
    if (number > 0)
      return number;
    if (errno == EAGAIN)
      return 0;
  }
}

int wait_for_signal() {
  auto signals = watched_signals();
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  return number;
}

} // namespace

signal_watch::signal_watch(caf::timespan deadline, std::function<void()> on_stop,
                           std::function<void()> on_deadline, std::function<void()> on_reload)
    : deadline_(deadline), on_stop_(std::move(on_stop)), on_deadline_(std::move(on_deadline)),
      on_reload_(std::move(on_reload)) {
  auto signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader that went away (a pipe, a socket) is an error of that write, not our end.
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread{[this] { watch(); }};
}

signal_watch::~signal_watch() {
  finished_ = true;
  pthread_kill(thread_.native_handle(), wake_signal);
  thread_.join();
}

void signal_watch::begin_deadline() {
  pthread_kill(thread_.native_handle(), wake_signal);
}

void signal_watch::watch() {
  auto first = wait_for_signal();
  while (first == SIGHUP && !finished_) {
    if (on_reload_)
      on_reload_();
    first = wait_for_signal();
  }
  if (finished_)
    return;
  auto end = std::chrono::steady_clock::now() + deadline_;
  auto signalled = first != wake_signal;
  if (signalled)
    on_stop_();
  for (;;) {
    auto number = wait_until(end);
    if (finished_)
      return;
    if (number == 0) {
      on_deadline_();
      _exit(static_cast<int>(exit_code::shutdown_deadline));
    }
    if (number == wake_signal || number == SIGHUP)
      continue;
    if (signalled)
      _exit(static_cast<int>(exit_code::second_signal));
    signalled = true;
  }
}

} // namespace notify
