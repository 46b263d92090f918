#pragma once

#include "persistence/janitor_store.hpp"

#include <string>

namespace notify {

// The janitor's SQL. Every statement reads at most `:limit` rows, oldest first along an index, and
// what hangs on them by key, however large the tables are.

/// Deletes a batch of `kind`. Binds :keep_us (not for suppressions), :limit; for jobs and events
/// also :at and :id; for jobs also :inbox_us. Answers looked at, deleted, events, at, id.
std::string clean_statement(retained kind);

/// Counts what `clean_statement` would delete among `:limit` rows. The same names; no :inbox_us.
std::string backlog_statement(retained kind);

} // namespace notify
