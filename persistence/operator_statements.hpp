#pragma once

#include "messages/operator_operations.hpp"

#include <soci/soci.h>

#include <string>
#include <vector>

namespace notify {

/// What became of one notification that somebody acted on.
struct act_result {
  uuid id;
  bool done = false;
  std::string status;            ///< If it was not: the status it was in, or `gone`.
  bool had_unknowns = false;     ///< An attempt may have been accepted.
  bool had_late_success = false; ///< An attempt was, after it had been given up.
};

/// Does `kind` to these notifications, in one statement, safely beside workers, reapers and others
/// who act. Inside of a transaction, which then also says what else belongs to it.
std::vector<act_result> act_on(soci::session& sql, bulk_kind kind, bool fresh_key,
                               const std::vector<uuid>& ids);

} // namespace notify
