#pragma once

#include "actors/dead_letter_replay.hpp"
#include "messages/operator_letters.hpp"

#include <cstddef>

namespace notify {

// What people may see of dead letters, in answers of bounded size and cost. No actor; blocks.
// Errors: `ec::invalid_request` for a cursor that makes no sense, `ec::not_found`,
// `ec::wrong_state`, and those of storage.

/// One page, newest first. Looks at a bounded number of letters, so that it may hold less than was
/// asked for and still have a next one.
caf::expected<dead_letter_page> list_letters(dead_letter_store& store, const list_dead_letters& x);

/// One letter with at most so many bytes of each part, and so many headers.
caf::expected<dead_letter_story> show_letter(dead_letter_store& store, int64_t id,
                                             size_t most_bytes, size_t most_headers);

/// Takes one letter through the inbox again.
caf::expected<dead_letter_replayed> replay_letter(dead_letter_store& store, ingest_store& inbox,
                                                  const replay_rules& rules, int64_t id,
                                                  bool dry_run);

} // namespace notify
