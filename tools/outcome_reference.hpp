#pragma once

#include <string>

namespace notify {

/// `notifyd outcomes --markdown`: docs/retry-table.md. Every row of the tables by which the
/// adapters classify what providers answer.
std::string outcomes_markdown();

} // namespace notify
