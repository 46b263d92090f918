#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace notify::test {

/// A program of ours running as a process of its own, so that a test can kill it. Its output goes
/// to a file. Killed at destruction if it still runs.
class daemon {
public:
  /// Starts `program` from the folder that NOTIFY_TEST_BIN names, below it if it has a path.
  daemon(const std::string& program, const std::vector<std::string>& arguments);
  ~daemon();

  daemon(const daemon&) = delete;
  daemon& operator=(const daemon&) = delete;

  void signal(int number) const;

  /// Waits for the end; the exit code, or 128 + the signal that killed it. Nothing if it still
  /// runs after `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit = std::chrono::seconds{60});

  bool running();

  /// Everything that it has written so far, to either stream.
  std::string output() const;

private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  std::string log_file_;
};

} // namespace notify::test
