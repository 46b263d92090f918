#pragma once

#include "persistence/session_observer.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <string>

namespace notify {

/// How to reach the database.
struct postgres_config {
  /// Everything libpq takes: a URL or `key=value` pairs, several hosts included.
  std::string url = "postgresql:///notify";
  std::string password; ///< From a file or the environment; never part of `url` on a command line.
  std::string application_name = "notifyd"; ///< Shown in pg_stat_activity, with the session's role.
  caf::timespan connect_timeout = std::chrono::seconds{5}; ///< For one host; libpq counts seconds.
  caf::timespan statement_timeout = std::chrono::seconds{30}; ///< Zero: none. A whole call may take
                                                              ///< twice as long, then its
                                                              ///< connection is given up.
  caf::timespan lock_timeout = std::chrono::seconds{10};      ///< Zero: none.
  caf::timespan idle_in_transaction_timeout = std::chrono::seconds{30}; ///< Zero: none.
  session_observers observers; ///< Not a setting: who sees what the sessions do; empty: nobody.
};

} // namespace notify
