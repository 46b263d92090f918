#pragma once

#include <mutex>
#include <shared_mutex>

namespace notify {

/// Lets the inbox writers of one process work side by side, except while one of them tries a record
/// that may kill the process: then nobody else has work in hand that the crash could be blamed on.
class trial_gate {
public:
  /// Held by a writer while it works on a batch. Waits while a trial is on or about to begin.
  std::shared_lock<std::shared_mutex> enter() {
    std::lock_guard door{door_};
    return std::shared_lock{room_};
  }

  /// Held during a trial. Waits until all others have left, and lets nobody in meanwhile.
  std::unique_lock<std::shared_mutex> enter_alone() {
    std::lock_guard door{door_};
    return std::unique_lock{room_};
  }

private:
  std::mutex door_; ///< Else a stream of others could keep a trial waiting for ever.
  std::shared_mutex room_;
};

} // namespace notify
