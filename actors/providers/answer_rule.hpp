#pragma once

#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <span>
#include <string_view>

namespace notify {

/// A row of a provider's own table of answers, for what its status alone does not say. Goes before
/// the table for all of HTTP.
struct answer_rule {
  int first_status = 0;
  int last_status = 0;
  std::string_view name; ///< What the provider calls the error, all of it; empty: any.
  std::string_view text; ///< Part of what it says, in lower case; empty: any.
  outcome_kind kind = outcome_kind::permanent;
  std::string_view reason; ///< Stable.
  std::string_view note;   ///< Why, for the reference; may be empty.
  bool pauses_channel = false;
  bool suppresses_recipient = false;
  caf::timespan wait{0}; ///< Of `retry_after`, where the answer does not say.
  /// In words, what else has to be true. The adapter looks for it and takes the row itself.
  std::string_view only{};
};

/// A row that an adapter takes itself.
constexpr answer_rule when(std::string_view only, int first_status, int last_status,
                           outcome_kind kind, std::string_view reason, std::string_view note = {}) {
  answer_rule result{first_status, last_status, "", "", kind, reason, note};
  result.only = only;
  return result;
}

/// The first row for an answer, or null; passes over those with an `only`. `text` may be in any
/// case.
const answer_rule* find_rule(std::span<const answer_rule> rules, int status, std::string_view name,
                             std::string_view text);

} // namespace notify
