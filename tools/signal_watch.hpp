#pragma once

#include <caf/timespan.hpp>

#include <atomic>
#include <functional>
#include <thread>

namespace notify {

/// Turns SIGTERM and SIGINT into an orderly stop with a deadline, on a thread of its own, and
/// SIGHUP into a call of `on_reload`, unless a stop has begun.
///
/// The first signal calls `on_stop`. A second one ends the process at once (exit code 130). If the
/// object still exists when the deadline is over, `on_deadline` is called and the process ends with
/// exit code 4, without destructors: something hangs, so destructors might, too.
class signal_watch {
public:
  /// Make it before any other thread: the signals are blocked in this thread and those it starts.
  signal_watch(caf::timespan deadline, std::function<void()> on_stop,
               std::function<void()> on_deadline, std::function<void()> on_reload = {});

  /// Everything stopped in time.
  ~signal_watch();

  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;

  /// Starts the deadline without a signal: the service ended by itself and is being taken down.
  void begin_deadline();

private:
  void watch();

  caf::timespan deadline_;
  std::function<void()> on_stop_;
  std::function<void()> on_deadline_;
  std::function<void()> on_reload_;
  std::atomic<bool> finished_ = false;
  std::thread thread_;
};

} // namespace notify
