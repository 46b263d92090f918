#pragma once

#include "actors/providers/smtp_config.hpp"
#include "actors/providers/smtp_reply.hpp"
#include "messages/outcome.hpp"

#include <caf/timespan.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// How a dialogue with the relay came to its end.
enum class smtp_event : uint8_t {
  reply,       ///< The relay said something that ends it.
  closed,      ///< End of stream or reset.
  failed,      ///< Any other error of resolver, socket or TLS.
  timed_out,   ///< The step's own deadline passed.
  malformed,   ///< What came is not a reply.
  desync,      ///< A reply came that nobody had asked for.
  untrusted,   ///< The relay's certificate is not valid for its name.
  not_offered, ///< The relay lacks what the step needs: STARTTLS, a mechanism, SMTPUTF8.
  unsafe,      ///< Credentials would cross the network in plain text.
  too_big,     ///< The message is over the limit that the relay announced.
  stopped,     ///< This service ends.
  not_found,   ///< The relay's name does not exist.
};

inline constexpr smtp_event all_smtp_events[] = {
    smtp_event::reply,     smtp_event::closed,  smtp_event::failed,    smtp_event::timed_out,
    smtp_event::malformed, smtp_event::desync,  smtp_event::untrusted, smtp_event::not_offered,
    smtp_event::unsafe,    smtp_event::too_big, smtp_event::stopped,   smtp_event::not_found,
};

/// The end of one dialogue: all that decides about the outcome.
struct smtp_ending {
  /// The last phase that was begun. `body` while data is handed to the kernel, `final_dot` from
  /// the moment the last bytes of it may be on their way.
  send_phase phase = send_phase::none;
  smtp_event event = smtp_event::failed;
  smtp_reply reply; ///< If `event` is `reply`.
  std::string text; ///< The error's text, if not.
  uint64_t bytes_sent = 0;
};

/// What a row of the tables says about an ending.
struct smtp_verdict {
  outcome_kind result;
  std::string_view reason; ///< Stable; empty for `sent`.
  caf::timespan floor{0};  ///< Of `retry_after`.
  bool suppresses_recipient = false;
};

/// A row for replies. `phase::none` is any phase; empty texts match all. First match wins.
struct smtp_reply_rule {
  send_phase where;
  int first_code, last_code;
  std::string_view enhanced; ///< Start of the enhanced code.
  std::string_view text;     ///< Part of the reply, in lower case.
  smtp_verdict result;
};

/// A row for endings without a reply. First match wins.
struct smtp_event_rule {
  send_phase where; ///< `none`: any.
  smtp_event what;
  smtp_verdict result;
};

// The tables, for the classifier and for docs/retry-table.md.

std::span<const smtp_reply_rule> smtp_reply_rules();
std::span<const smtp_event_rule> smtp_event_rules();

std::string to_string(smtp_event x);

/// Classifies by phase, reply or event, never by a library's code alone. `overrides` go before our
/// own table, but can neither make a failure a success nor call an answered attempt unknown.
///
/// The promise behind every answer: `unknown` if and only if the whole message may have reached
/// the relay and no reply to it was read; `interrupted` if and only if we ended it before that.
/// Reasons are stable. The detail is safe text of at most
/// 2 KiB; of the AUTH phase it keeps nothing.
outcome classify_smtp(const smtp_ending& ending, const std::vector<smtp_override>& overrides = {});

} // namespace notify
