#include "actors/providers/smtp_classifier.hpp"

#include "messages/safe_text.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace notify {

namespace {

using kind = outcome_kind;
using phase = send_phase;
using event = smtp_event;

constexpr size_t max_detail = 2048;

/// The classic advice for greylisting is to wait minutes; under one, the relay only counts again.
constexpr caf::timespan greylist_floor = std::chrono::seconds{60};
constexpr caf::timespan no_floor{0};

constexpr smtp_reply_rule reply_rules[] = {
    // The relay's own trouble, whatever it answers to.
    {phase::none, 421, 421, "", "", {kind::retry, "smtp_service_unavailable"}},
    // A rate limit that the relay words as a refusal.
    {phase::none,
     400,
     599,
     "",
     "too many emails per second",
     {kind::retry_after, "smtp_rate_limited", std::chrono::seconds{5}}},

    // A refused greeting is about our address or account, not about this recipient.
    {phase::greeting, 400, 499, "", "", {kind::retry, "smtp_greeting_deferred"}},
    {phase::greeting, 500, 599, "", "", {kind::hold, "smtp_greeting_refused"}},
    {phase::ehlo, 400, 499, "", "", {kind::retry, "smtp_ehlo_deferred"}},
    {phase::ehlo, 500, 599, "", "", {kind::hold, "smtp_ehlo_refused"}},
    {phase::tls, 400, 499, "", "", {kind::retry, "smtp_starttls_deferred"}},
    {phase::tls, 500, 599, "", "", {kind::hold, "smtp_starttls_refused"}},
    {phase::auth, 400, 499, "", "", {kind::retry, "smtp_auth_deferred"}},
    {phase::auth, 500, 599, "", "", {kind::hold, "smtp_auth_refused"}},

    // Credentials missing or wrong show up at any later command too.
    {phase::none, 530, 530, "", "", {kind::hold, "smtp_auth_required"}},
    {phase::none, 534, 535, "", "", {kind::hold, "smtp_auth_refused"}},
    {phase::none, 538, 538, "", "", {kind::hold, "smtp_auth_needs_tls"}},

    {phase::mail, 400, 499, "", "", {kind::retry, "smtp_mail_deferred"}},
    {phase::mail, 552, 552, "", "", {kind::permanent, "smtp_message_too_big"}},
    {phase::mail, 500, 599, "5.3.4", "", {kind::permanent, "smtp_message_too_big"}},
    {phase::mail, 500, 599, "5.6.7", "", {kind::permanent, "smtp_smtputf8_missing"}},
    {phase::mail, 500, 599, "5.7.", "", {kind::hold, "smtp_sender_refused"}},
    {phase::mail, 550, 550, "", "", {kind::hold, "smtp_sender_refused"}},
    {phase::mail, 553, 553, "", "", {kind::hold, "smtp_sender_refused"}},
    {phase::mail, 503, 503, "", "", {kind::retry, "smtp_bad_sequence"}},
    {phase::mail, 500, 599, "", "", {kind::permanent, "smtp_mail_refused"}},

    {phase::rcpt, 452, 452, "4.5.3", "", {kind::retry, "smtp_too_many_recipients"}},
    // RFC 5321, section 4.5.3.1.10: to be read as 452.
    {phase::rcpt, 552, 552, "", "too many recipients", {kind::retry, "smtp_too_many_recipients"}},
    {phase::rcpt, 552, 552, "5.5.3", "", {kind::retry, "smtp_too_many_recipients"}},
    {phase::rcpt, 400, 499, "", "greylist", {kind::retry_after, "smtp_greylisted", greylist_floor}},
    {phase::rcpt, 400, 499, "", "", {kind::retry_after, "smtp_rcpt_deferred", greylist_floor}},
    // Before the rows on relaying: "user unknown in relay recipient table" is about the user. Some
    // relays wait for the recipient to say what is wrong with the sender: that is about us.
    {phase::rcpt, 500, 599, "5.1.7", "", {kind::hold, "smtp_sender_refused"}},
    {phase::rcpt, 500, 599, "5.1.8", "", {kind::hold, "smtp_sender_refused"}},
    {phase::rcpt, 500, 599, "5.1.", "sender address", {kind::hold, "smtp_sender_refused"}},
    {phase::rcpt, 500, 599, "5.1.", "", {kind::permanent, "smtp_rcpt_unknown", no_floor, true}},
    // About us, although it is said to a recipient. An address has no spaces, so it cannot match.
    {phase::rcpt, 500, 599, "5.7.1", " relay", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "relay access denied", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "relaying denied", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "relaying not", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "relay not permitted", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "not permitted to relay", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "unable to relay", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "do not relay", {kind::hold, "smtp_relay_denied"}},
    {phase::rcpt, 500, 599, "", "client host", {kind::hold, "smtp_client_refused"}},
    // Seen twice by then: the session starts over once by itself.
    {phase::rcpt, 503, 503, "", "", {kind::permanent, "smtp_bad_sequence"}},
    // A full mailbox, the message's form or a policy against us: this mail fails, the next may not.
    {phase::rcpt, 500, 599, "5.2.2", "", {kind::permanent, "smtp_rcpt_refused"}},
    {phase::rcpt, 500, 599, "5.6.", "", {kind::permanent, "smtp_rcpt_refused"}},
    {phase::rcpt, 500, 599, "5.7.", "", {kind::permanent, "smtp_rcpt_refused"}},
    {phase::rcpt, 550, 551, "", "", {kind::permanent, "smtp_rcpt_refused", no_floor, true}},
    {phase::rcpt, 553, 553, "", "", {kind::permanent, "smtp_rcpt_refused", no_floor, true}},
    {phase::rcpt, 500, 599, "", "", {kind::permanent, "smtp_rcpt_refused"}},

    {phase::data, 400, 499, "", "greylist", {kind::retry_after, "smtp_greylisted", greylist_floor}},
    {phase::data, 400, 499, "", "", {kind::retry, "smtp_data_deferred"}},
    {phase::data, 500, 599, "", "", {kind::permanent, "smtp_data_refused"}},

    // An early answer: the relay did not wait for the end.
    {phase::body, 400, 499, "", "", {kind::retry, "smtp_message_deferred"}},
    {phase::body, 500, 599, "", "", {kind::permanent, "smtp_message_refused"}},

    {phase::final_dot, 200, 299, "", "", {kind::sent, ""}},
    {phase::final_dot, 300, 399, "", "", {kind::unknown, "smtp_bad_reply"}},
    {phase::final_dot,
     400,
     499,
     "",
     "greylist",
     {kind::retry_after, "smtp_greylisted", greylist_floor}},
    {phase::final_dot, 400, 499, "", "", {kind::retry, "smtp_message_deferred"}},
    {phase::final_dot, 552, 552, "", "", {kind::permanent, "smtp_message_too_big"}},
    {phase::final_dot, 500, 599, "5.3.4", "", {kind::permanent, "smtp_message_too_big"}},
    {phase::final_dot, 500, 599, "5.7.", "", {kind::permanent, "smtp_message_policy"}},
    {phase::final_dot, 500, 599, "", "", {kind::permanent, "smtp_message_refused"}},

    // A yes where no yes belongs, such as 250 to DATA: it answers something else.
    {phase::none, 200, 399, "", "", {kind::retry, "smtp_desync"}},
    {phase::none, 400, 499, "", "", {kind::retry, "smtp_deferred"}},
    {phase::none, 500, 599, "", "", {kind::permanent, "smtp_refused"}},
};

constexpr smtp_event_rule event_rules[] = {
    // RFC 1047: from here on the relay may have taken the message.
    {phase::final_dot, event::closed, {kind::unknown, "smtp_reply_lost"}},
    {phase::final_dot, event::failed, {kind::unknown, "smtp_reply_lost"}},
    {phase::final_dot, event::timed_out, {kind::unknown, "smtp_reply_timeout"}},
    {phase::final_dot, event::malformed, {kind::unknown, "smtp_bad_reply"}},
    {phase::final_dot, event::not_found, {kind::unknown, "smtp_reply_lost"}},
    {phase::final_dot, event::stopped, {kind::unknown, "smtp_stopped"}},
    {phase::final_dot, event::desync, {kind::unknown, "smtp_desync"}},
    {phase::final_dot, event::untrusted, {kind::unknown, "smtp_reply_lost"}},
    {phase::final_dot, event::not_offered, {kind::unknown, "smtp_reply_lost"}},
    {phase::final_dot, event::unsafe, {kind::unknown, "smtp_reply_lost"}},
    {phase::final_dot, event::too_big, {kind::unknown, "smtp_reply_lost"}},

    {phase::resolve, event::not_found, {kind::retry, "smtp_host_not_found"}},
    {phase::resolve, event::failed, {kind::retry, "smtp_resolve_failed"}},
    {phase::resolve, event::timed_out, {kind::retry, "smtp_resolve_timeout"}},
    {phase::connect, event::closed, {kind::retry, "smtp_connect_failed"}},
    {phase::connect, event::failed, {kind::retry, "smtp_connect_failed"}},
    {phase::connect, event::timed_out, {kind::retry, "smtp_connect_timeout"}},
    {phase::tls, event::failed, {kind::retry, "smtp_tls_failed"}},
    {phase::tls, event::not_offered, {kind::hold, "smtp_starttls_missing"}},
    {phase::auth, event::not_offered, {kind::hold, "smtp_auth_unsupported"}},
    {phase::mail, event::not_offered, {kind::permanent, "smtp_smtputf8_missing"}},

    {phase::none, event::closed, {kind::retry, "smtp_connection_lost"}},
    {phase::none, event::failed, {kind::retry, "smtp_connection_lost"}},
    {phase::none, event::timed_out, {kind::retry, "smtp_timeout"}},
    {phase::none, event::malformed, {kind::retry, "smtp_bad_reply"}},
    {phase::none, event::desync, {kind::retry, "smtp_desync"}},
    {phase::none, event::untrusted, {kind::hold, "smtp_certificate_invalid"}},
    {phase::none, event::not_offered, {kind::hold, "smtp_extension_missing"}},
    {phase::none, event::unsafe, {kind::hold, "smtp_auth_needs_tls"}},
    {phase::none, event::too_big, {kind::permanent, "smtp_message_too_big"}},
    {phase::none, event::not_found, {kind::retry, "smtp_connection_lost"}},
    {phase::none, event::stopped, {kind::interrupted, "smtp_stopped"}},
};

std::string lower(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(), [](char x) {
    return x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x;
  });
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

smtp_verdict judge_event(phase where, event what) {
  for (const auto& rule : event_rules)
    if ((rule.where == phase::none || rule.where == where) && rule.what == what)
      return rule.result;
  // Only for `reply`, which has no row here: a reply that is none.
  return where == phase::final_dot ? smtp_verdict{kind::unknown, "smtp_bad_reply"}
                                   : smtp_verdict{kind::retry, "smtp_bad_reply"};
}

bool matches(const smtp_override& rule, const smtp_reply& reply, std::string_view text) {
  auto is_refusal = reply.severity() == 4 || reply.severity() == 5;
  return is_refusal && rule.kind != kind::sent && rule.kind != kind::unknown
         && (rule.code == 0 || rule.code == reply.code) && reply.enhanced.starts_with(rule.enhanced)
         && contains(text, lower(rule.text));
}

smtp_verdict judge_reply(phase where, const smtp_reply& reply,
                         const std::vector<smtp_override>& overrides) {
  if (reply.severity() < 2 || reply.severity() > 5)
    return judge_event(where, event::malformed);
  auto text = lower(reply.text());
  for (const auto& rule : overrides)
    if (matches(rule, reply, text))
      return {rule.kind, "smtp_override", rule.wait};
  // RFC 2034: both codes agree. Where they do not, the older one is the safer to trust.
  auto enhanced = reply.is_consistent() ? std::string_view{reply.enhanced} : std::string_view{};
  for (const auto& rule : reply_rules)
    if ((rule.where == phase::none || rule.where == where) && reply.code >= rule.first_code
        && reply.code <= rule.last_code && enhanced.starts_with(rule.enhanced)
        && contains(text, rule.text))
      return rule.result;
  return judge_event(where, event::malformed);
}

} // namespace

std::span<const smtp_reply_rule> smtp_reply_rules() {
  return reply_rules;
}

std::span<const smtp_event_rule> smtp_event_rules() {
  return event_rules;
}

std::string to_string(smtp_event x) {
  switch (x) {
  case event::reply:
    return "reply";
  case event::closed:
    return "closed";
  case event::failed:
    return "failed";
  case event::timed_out:
    return "timed_out";
  case event::malformed:
    return "malformed";
  case event::desync:
    return "desync";
  case event::untrusted:
    return "untrusted";
  case event::not_offered:
    return "not_offered";
  case event::unsafe:
    return "unsafe";
  case event::too_big:
    return "too_big";
  case event::stopped:
    return "stopped";
  case event::not_found:
    return "not_found";
  }
  return "invalid";
}

outcome classify_smtp(const smtp_ending& ending, const std::vector<smtp_override>& overrides) {
  auto is_reply = ending.event == event::reply;
  auto judged = is_reply ? judge_reply(ending.phase, ending.reply, overrides)
                         : judge_event(ending.phase, ending.event);
  outcome result;
  result.kind = judged.result;
  result.reason = judged.reason;
  result.wait_hint = judged.result == kind::retry_after ? judged.floor : caf::timespan{0};
  result.suppress_recipient = judged.suppresses_recipient;
  result.phase = judged.result == kind::sent ? phase::done : ending.phase;
  result.provider = "smtp";
  result.bytes_sent = ending.bytes_sent;
  if (is_reply) {
    result.provider_status = ending.reply.code;
    result.provider_code = ending.reply.enhanced;
    // Neither side of AUTH is ever kept: some relays repeat what they were sent.
    if (ending.phase != phase::auth)
      result.detail = safe_text(ending.reply.text(), max_detail);
  } else {
    result.detail = safe_text(ending.text, max_detail);
  }
  if (result.kind == kind::sent)
    result.provider_message_id = safe_text(smtp_queue_id(ending.reply), 200);
  return result;
}

} // namespace notify
