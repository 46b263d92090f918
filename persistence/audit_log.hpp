#pragma once

#include "persistence/session.hpp"

#include <string>

namespace notify {

/// One act of a person, for the table `notify.audit_log`.
struct audit_entry {
  std::string actor;
  std::string action; ///< Stable code, e.g. `offsets.reset`.
  std::string target;
  std::string details; ///< A JSON object.
};

/// Adds the row. Inside of `session::run` or, to have it exactly if the act itself succeeds, of
/// `run_transaction`.
void write_audit(soci::session& sql, const audit_entry& x);

} // namespace notify
