#include "tools/fake_provider/named_answers.hpp"

#include "tools/fake_provider/protocols.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

namespace notify::fake {

namespace {

namespace json = boost::json;

/// One answer: Resend's error name, Telegram's description, or SMTP's reply is `text`.
struct entry {
  std::string_view name;
  protocol via;
  unsigned status; ///< 0: SMTP.
  std::string_view text;
  std::string_view message;
  moment at = moment::request;
  bool says_when = false;
};

constexpr std::array<entry, 22> entries{{
    {"resend_429", protocol::resend, 429, "rate_limit_exceeded", "Too many requests.",
     moment::request, true},
    {"resend_daily_quota", protocol::resend, 429, "daily_quota_exceeded",
     "You have reached your daily email sending quota."},
    {"resend_monthly_quota", protocol::resend, 429, "monthly_quota_exceeded",
     "You have reached your monthly email sending quota."},
    {"resend_500", protocol::resend, 500, "application_error", "An unexpected error occurred."},
    {"resend_invalid_recipient", protocol::resend, 422, "validation_error",
     "Invalid `to` field. The email address needs to follow the `email@example.com` format."},
    {"resend_invalid_key", protocol::resend, 403, "invalid_api_key", "API key is invalid."},
    {"resend_concurrent", protocol::resend, 409, "concurrent_idempotent_requests",
     "Same idempotency key used while original request is still in progress."},
    {"resend_conflict", protocol::resend, 409, "invalid_idempotent_request",
     "Same idempotency key used with a different request payload."},
    {"telegram_429", protocol::telegram, 429, "Too Many Requests: retry after ", "",
     moment::request, true},
    {"telegram_blocked", protocol::telegram, 403, "Forbidden: bot was blocked by the user", ""},
    {"telegram_chat_not_found", protocol::telegram, 400, "Bad Request: chat not found", ""},
    {"telegram_migrated", protocol::telegram, 400,
     "Bad Request: group chat was upgraded to a supergroup chat", ""},
    {"telegram_unauthorized", protocol::telegram, 401, "Unauthorized", ""},
    {"telegram_restart", protocol::telegram, 500, "Internal Server Error: restart", ""},
    {"webhook_429", protocol::webhook, 429, "", "", moment::request, true},
    {"webhook_500", protocol::webhook, 500, "", ""},
    {"webhook_gone", protocol::webhook, 410, "", ""},
    {"smtp_unknown_mailbox", protocol::smtp, 0, "550 5.1.1 No such mailbox", "", moment::rcpt},
    {"smtp_greylisted", protocol::smtp, 0, "451 4.7.1 Greylisted, try again later", "",
     moment::rcpt},
    {"smtp_later", protocol::smtp, 0, "451 4.3.0 Try again later", ""},
    {"smtp_refused", protocol::smtp, 0, "554 5.7.1 Message refused", ""},
    {"smtp_bad_login", protocol::smtp, 0, "535 5.7.8 Authentication failed", "", moment::auth},
}};

http_answer answer_of(const entry& x, unsigned retry_after) {
  http_answer result{x.status, {}, {}};
  if (x.via == protocol::resend)
    result = resend_error(x.status, x.text, x.message);
  if (x.via == protocol::telegram) {
    json::object parameters;
    auto description = std::string{x.text};
    if (x.says_when) {
      parameters["retry_after"] = retry_after;
      description += std::to_string(retry_after);
    }
    if (x.name == "telegram_migrated")
      parameters["migrate_to_chat_id"] = int64_t{-1001234567890};
    result = telegram_error(x.status, description, std::move(parameters));
  }
  if (x.says_when)
    result.headers.emplace_back("Retry-After", std::to_string(retry_after));
  return result;
}

} // namespace

std::optional<named_action> named_answer(std::string_view name, unsigned retry_after) {
  const auto* found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& x) { return x.name == name; });
  if (found == entries.end())
    return std::nullopt;
  action result;
  result.at = found->at;
  if (found->via == protocol::smtp)
    result.reply = found->text;
  else
    result.answer = answer_of(*found, retry_after);
  return named_action{found->via, std::move(result)};
}

std::vector<std::string> answer_names() {
  std::vector<std::string> result;
  for (const auto& x : entries)
    result.emplace_back(x.name);
  return result;
}

} // namespace notify::fake
