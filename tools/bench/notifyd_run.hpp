#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace notify::bench {

/// One `notifyd` as a child process. Stopped in order at destruction.
class notifyd_run {
public:
  /// Starts the program; throws std::runtime_error if that fails.
  notifyd_run(const std::string& program, const std::vector<std::string>& arguments);
  ~notifyd_run();

  notifyd_run(const notifyd_run&) = delete;
  notifyd_run& operator=(const notifyd_run&) = delete;

  /// Throws std::runtime_error if it has ended by itself.
  void check();

  /// SIGTERM and wait; throws std::runtime_error if it did not end with 0.
  void stop();

private:
  pid_t pid_ = -1;
};

} // namespace notify::bench
