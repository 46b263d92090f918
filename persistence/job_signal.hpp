#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace notify {

/// Tells the thread of a job listener that jobs were stored here, so that it tells other processes.
/// Costs the caller next to nothing. Thread-safe.
class job_signal {
public:
  job_signal();
  ~job_signal();

  job_signal(const job_signal&) = delete;
  job_signal& operator=(const job_signal&) = delete;

  /// There are new due jobs in these channels.
  void raise(const std::vector<std::string>& channels);

  /// The channels since the last call.
  std::set<std::string> take();

  /// Becomes readable when something is raised, until it is taken; for `poll`.
  int handle() const { return handle_; }

private:
  std::mutex mutex_;
  std::set<std::string> channels_;
  int handle_;
};

} // namespace notify
