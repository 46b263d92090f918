#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify {

/// The part of a statement that adds to `notify.job_totals`: a CTE named `counted` over the rows of
/// `from`, which has the column `channel`. Each of `columns` is a total and its condition on those
/// rows; an empty condition: every row. Put it directly behind the CTE that it counts: of parts
/// that nobody reads, PostgreSQL runs the last one first, and these rows are to be locked last.
std::string add_to_totals(std::string_view from,
                          const std::vector<std::pair<std::string, std::string>>& columns);

/// `text` with this part in the place of `$counted`.
std::string with_counts(std::string text, const std::string& counted);

} // namespace notify
