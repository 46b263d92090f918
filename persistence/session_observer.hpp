#pragma once

#include <caf/timespan.hpp>

#include <functional>
#include <memory>
#include <string>

namespace notify {

/// Sees what the sessions of one role do. Called on their threads, so it is thread-safe and quick.
class session_observer {
public:
  virtual ~session_observer() = default;

  virtual void on_connected() = 0;
  virtual void on_disconnected() = 0;
  virtual void on_connect_failed() = 0;

  /// One `session::run` on a live connection: a statement, or a whole transaction.
  virtual void on_call(caf::timespan took, bool failed) = 0;
};

/// The observer for a session's role, e.g. `claim`.
using session_observers = std::function<std::shared_ptr<session_observer>(const std::string& role)>;

} // namespace notify
