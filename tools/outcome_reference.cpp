#include "tools/outcome_reference.hpp"

#include "actors/providers/http_rules.hpp"
#include "actors/providers/resend_provider.hpp"
#include "actors/providers/smtp_classifier.hpp"
#include "actors/providers/telegram_provider.hpp"
#include "actors/providers/webhook_provider.hpp"
#include "tools/markdown.hpp"
#include "tools/value_text.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

namespace {

using markdown::cell;
using markdown::code;
using markdown::header;
using markdown::row;

constexpr std::string_view introduction = R"(# Outcomes

Made by `notifyd outcomes --markdown`; do not edit by hand.

What an answer of a provider means, and what becomes of the notification. These are the tables that
the adapters read, row by row: of each table the first row that matches decides.

| outcome | meaning | then |
| --- | --- | --- |
| `sent` | the provider took responsibility | done |
| `retry` | surely not accepted, may work later | by the channel's schedule |
| `retry_after` | as `retry`, and the provider said when | by the schedule, but not before that |
| `permanent` | surely not accepted, and never will be | dead |
| `hold` | surely not accepted, because of our account or settings | later, no attempt is used up |
| `unknown` | may have been accepted: the answer was lost | by the channel's rule for doubt |
| `interrupted` | surely not accepted: this process ended it | given back, no attempt is used up |

Reasons are stable: they are an attempt's `error_code`. "No more" in a row means that nothing else is
sent to that recipient either; "all wait" that the wait is for all of the channel's sends.
)";

constexpr std::string_view http_introduction = R"(
`API` is a provider's interface; `with key` is the same while the provider remembers our idempotency
key (Resend); `webhook` is somebody's endpoint. A wait in an answer (`Retry-After` as seconds or as
a date, or a field of the body) turns `retry` into `retry_after`; of an answer with status 420 or 429
a reset header (`ratelimit-reset`, `x-ratelimit-reset`) is a wait too. Rows of one provider go before
these.
)";

std::string kind_of(outcome_kind x) {
  return code(to_string(x));
}

std::string phase_of(send_phase x) {
  return x == send_phase::none ? "any" : to_string(x);
}

std::string range_of(int first, int last) {
  auto result = std::to_string(first);
  return first == last ? result : result + " to " + std::to_string(last);
}

/// Joins what is not empty.
std::string remarks(const std::vector<std::string>& parts) {
  std::string result;
  for (const auto& x : parts)
    if (!x.empty())
      result += (result.empty() ? "" : "; ") + x;
  return cell(result);
}

std::string at_least(caf::timespan wait) {
  return wait.count() == 0 ? std::string{} : "at least " + duration_text(wait);
}

std::string no_more(bool suppresses) {
  return suppresses ? "no more" : "";
}

std::string all_wait(bool pauses) {
  return pauses ? "all wait" : "";
}

std::string said(std::string_view text) {
  return text.empty() ? std::string{} : "“" + cell(text) + "”";
}

std::string smtp_replies() {
  auto result = "\n## SMTP: replies\n\n"
                + header({"phase", "code", "enhanced", "says", "outcome", "reason", "remarks"});
  for (const auto& x : smtp_reply_rules())
    result += row({phase_of(x.where), range_of(x.first_code, x.last_code), code(x.enhanced),
                   said(x.text), kind_of(x.result.result), code(x.result.reason),
                   remarks({at_least(x.result.floor), no_more(x.result.suppresses_recipient)})});
  return result;
}

std::string smtp_events() {
  auto result = "\n## SMTP: without a reply\n\n" + header({"phase", "event", "outcome", "reason"});
  for (const auto& x : smtp_event_rules())
    result += row(
        {phase_of(x.where), to_string(x.what), kind_of(x.result.result), code(x.result.reason)});
  return result;
}

std::string http_events() {
  auto result = "\n## HTTP: without an answer\n\n"
                + header({"request", "phase", "event", "API", "webhook", "reason", "remarks"});
  for (const auto& x : http_event_rules())
    result +=
        row({x.after_request ? "left completely" : "did not", phase_of(x.phase), to_string(x.event),
             kind_of(x.api), kind_of(x.webhook), code(x.reason), cell(x.note)});
  return result;
}

std::string http_statuses() {
  auto result = "\n## HTTP: answers\n" + std::string{http_introduction} + "\n"
                + header({"status", "only", "API", "API with key", "webhook", "reason", "remarks"});
  for (const auto& x : http_status_rules())
    result +=
        row({range_of(x.first_status, x.last_status), x.needs_wait ? "with `Retry-After`" : "",
             kind_of(x.api), kind_of(x.api_with_key), kind_of(x.webhook), code(x.reason),
             remarks({std::string{x.note}, x.pauses_channel ? "all of an API wait" : "",
                      x.suppresses_endpoint ? "no more for a webhook" : ""})});
  return result;
}

std::string provider_rows(const std::string& provider, std::span<const answer_rule> rules) {
  auto result = "\n## " + provider + "\n\n"
                + header({"status", "only", "error", "says", "outcome", "reason", "remarks"});
  for (const auto& x : rules)
    result += row(
        {range_of(x.first_status, x.last_status), cell(x.only), code(x.name), said(x.text),
         kind_of(x.kind), code(x.reason),
         remarks({std::string{x.note}, x.wait.count() == 0 ? "" : "else " + duration_text(x.wait),
                  all_wait(x.pauses_channel), no_more(x.suppresses_recipient)})});
  return result;
}

} // namespace

std::string outcomes_markdown() {
  std::string result{introduction};
  result += smtp_replies();
  result += smtp_events();
  result += http_events();
  result += http_statuses();
  result += provider_rows("Resend", resend_rules());
  result += provider_rows("Telegram", telegram_rules());
  result += provider_rows("Webhooks", webhook_rules());
  return result;
}

} // namespace notify
