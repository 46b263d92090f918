#include "actors/providers/http_classifier.hpp"

#include "actors/providers/http_rules.hpp"
#include "actors/providers/redact.hpp"
#include "actors/providers/wait_hint.hpp"
#include "messages/safe_text.hpp"

#include <algorithm>
#include <string_view>

namespace notify {

namespace {

using kind = outcome_kind;
using std::chrono::system_clock;

constexpr size_t max_detail = 2048;
constexpr size_t max_name = 200;

/// What a row says about an exchange.
struct verdict {
  kind result = kind::unknown;
  std::string_view reason;
  bool pauses_channel = false;
  bool suppresses_recipient = false;
  caf::timespan wait{0};
};

/// What an answer says about when to come again.
struct waits {
  std::optional<caf::timespan> asked; ///< In so many words.
  std::optional<caf::timespan> limit; ///< When a limit is lifted; counts only if it was the reason.
};

verdict judge_event(const http_exchange& x, http_column column) {
  for (const auto& rule : http_event_rules())
    if (rule.event == x.event && rule.after_request == x.request_complete
        && (rule.phase == send_phase::none || rule.phase == x.phase))
      return {column == http_column::api ? rule.api : rule.webhook, rule.reason};
  // An event that should have come before the request or after it; how far it got is what counts.
  if (!x.request_complete)
    return {kind::retry, "http_connection_lost"};
  return {column == http_column::api ? kind::unknown : kind::retry, "http_reply_lost"};
}

kind kind_in_column(const http_status_rule& rule, const http_profile& profile) {
  if (profile.column == http_column::api)
    return profile.key_is_live ? rule.api_with_key : rule.api;
  return rule.can_be_final && !profile.retry_refusals ? kind::permanent : rule.webhook;
}

verdict judge_status(int status, bool has_wait, const http_profile& profile) {
  auto is_api = profile.column == http_column::api;
  for (const auto& rule : http_status_rules())
    if (rule.first_status <= status && status <= rule.last_status && (has_wait || !rule.needs_wait))
      return {kind_in_column(rule, profile), rule.reason, is_api && rule.pauses_channel,
              !is_api && rule.suppresses_endpoint};
  return {is_api ? kind::unknown : kind::retry, "http_bad_answer"};
}

verdict judge_answer(const http_exchange& x, const http_profile& profile,
                     const http_reading& reading, const waits& times) {
  auto result = judge_status(reading.status != 0 ? reading.status : x.status,
                             times.asked.has_value(), profile);
  if (const auto* rule = reading.rule)
    result = {rule->kind, rule->reason, rule->pauses_channel, rule->suppresses_recipient,
              rule->wait};
  // Nobody acts on a request that is shorter than it says, whatever the status is.
  if (result.result == kind::unknown && !x.request_complete)
    result.result = kind::retry;
  if (result.result == kind::retry && times.asked)
    result.result = kind::retry_after;
  if (result.result == kind::retry_after && (times.asked || times.limit))
    result.wait = times.asked ? *times.asked : *times.limit;
  else if (result.result != kind::permanent && result.result != kind::sent && times.asked)
    result.wait = *times.asked;
  return result;
}

waits waits_of(const http_exchange& x, const http_reading& reading, system_clock::time_point now) {
  return {reading.wait ? reading.wait : retry_after_of(x, now), limit_reset_of(x, now)};
}

std::string detail_of(const http_exchange& x, const http_profile& profile,
                      const http_reading& reading, kind result) {
  if (result == kind::sent)
    return safe_text(reading.remark, max_detail);
  return safe_text(redacted(x.body.empty() ? x.detail : x.body, profile.secrets), max_detail);
}

} // namespace

outcome classify_http(const http_exchange& exchange, const http_profile& profile,
                      const http_reading& reading, system_clock::time_point now) {
  auto is_answer = exchange.event == http_event::answered;
  auto judged = is_answer
                    ? judge_answer(exchange, profile, reading, waits_of(exchange, reading, now))
                    : judge_event(exchange, profile.column);
  outcome result;
  result.kind = judged.result;
  result.phase = judged.result == kind::sent ? send_phase::done : exchange.phase;
  result.provider = profile.provider;
  result.reason = judged.reason;
  result.detail = detail_of(exchange, profile, reading, judged.result);
  result.wait_hint = judged.wait;
  result.pause_channel = judged.pauses_channel;
  result.suppress_recipient = judged.suppresses_recipient;
  result.bytes_sent = exchange.bytes_sent;
  result.connection_reused = exchange.connection_reused;
  if (is_answer) {
    result.provider_status = exchange.status;
    result.provider_code = safe_text(redacted(reading.code, profile.secrets), max_name);
    if (judged.result == kind::sent)
      result.provider_message_id = safe_text(reading.message_id, max_name);
  }
  return result;
}

} // namespace notify
