#include "actors/providers/telegram_provider.hpp"

#include "actors/providers/answer_body.hpp"
#include "actors/providers/api_url.hpp"
#include "actors/providers/utf16.hpp"
#include "actors/providers/wait_hint.hpp"
#include "messages/error.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace notify {

namespace {

namespace json = boost::json;
using kind = outcome_kind;
using std::chrono::system_clock;

constexpr size_t max_text_units = 4096; ///< UTF-16 code units (sendMessage).
constexpr size_t max_migrations = 10'000;
constexpr size_t max_token_characters = 200;

constexpr answer_rule bad_answer =
    when("an answer that is not the API's, and a status of 200 to 299, 400 or 500 to 599", 200, 599,
         kind::unknown, "telegram_bad_answer", "neither `ok:true` nor an error code");

constexpr answer_rule chat_migrated =
    when("with `migrate_to_chat_id`", 400, 400, kind::retry, "telegram_chat_migrated",
         "the next attempt goes to the new chat");

constexpr answer_rule rules[] = {
    bad_answer,
    chat_migrated,
    {420, 420, "", "", kind::retry_after, "http_rate_limited", "the token waits, not one chat",
     true, false, std::chrono::seconds{5}},
    {429, 429, "", "", kind::retry_after, "http_rate_limited", "the token waits, not one chat",
     true, false, std::chrono::seconds{5}},

    {400, 400, "", "chat not found", kind::permanent, "telegram_chat_not_found", "", false, true},
    {400, 400, "", "peer_id_invalid", kind::permanent, "telegram_chat_not_found", "", false, true},
    {400, 400, "", "chat_write_forbidden", kind::permanent, "telegram_no_rights", "", false, true},
    {400, 400, "", "not enough rights", kind::permanent, "telegram_no_rights", "", false, true},
    {400, 400, "", "have no rights", kind::permanent, "telegram_no_rights", "", false, true},
    {400, 400, "", "administrator rights", kind::permanent, "telegram_no_rights", "", false, true},
    {400, 400, "", "text is empty", kind::permanent, "telegram_bad_text",
     "a fault of the template"},
    {400, 400, "", "is too long", kind::permanent, "telegram_bad_text", "a fault of the template"},
    {400, 400, "", "can't parse", kind::permanent, "telegram_bad_text", "a fault of the template"},
    {400, 400, "", "", kind::permanent, "telegram_refused", ""},
    {403, 403, "", "", kind::permanent, "telegram_blocked",
     "blocked, kicked, deactivated: until the user writes again", false, true},

    {401, 401, "", "", kind::hold, "telegram_token_refused", "wrong or revoked"},
    {404, 404, "", "", kind::hold, "telegram_token_refused", "a path without a good token"},
    {421, 421, "", "", kind::hold, "telegram_token_refused", "another server has this bot"},

    {500, 599, "", "restart", kind::retry, "telegram_restarting", "refused before acting"},
    {500, 599, "", "", kind::unknown, "http_server_error", "there are no idempotency keys"},
};

caf::error invalid(std::string what) {
  return caf::make_error(ec::invalid_config, std::move(what));
}

bool is_digit(char x) {
  return x >= '0' && x <= '9';
}

bool is_word(char x) {
  return is_digit(x) || (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '_';
}

/// `123456789:` and letters, digits, `_` and `-`.
bool is_bot_token(std::string_view token) {
  auto colon = token.find(':');
  if (colon == std::string_view::npos || colon == 0 || token.size() > max_token_characters)
    return false;
  auto number = token.substr(0, colon);
  auto secret = token.substr(colon + 1);
  return std::all_of(number.begin(), number.end(), is_digit) && secret.size() >= 10
         && std::all_of(secret.begin(), secret.end(),
                        [](char x) { return is_word(x) || x == '-'; });
}

/// The number of a chat. Negative for groups; 52 bits, so it fits a JSON number anywhere.
std::optional<int64_t> chat_number(std::string_view text) {
  int64_t result = 0;
  const auto* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, result);
  if (error != std::errc{} || rest != end || result == 0)
    return std::nullopt;
  return result;
}

bool is_chat_name(std::string_view text) {
  return text.size() >= 4 && text.size() <= 33 && text.front() == '@'
         && std::all_of(text.begin() + 1, text.end(), is_word);
}

std::string body_of(const json::value& chat, const std::string& text) {
  json::object body;
  body["chat_id"] = chat;
  body["text"] = text;
  body["link_preview_options"] = json::object{{"is_disabled", true}};
  return json::serialize(body);
}

/// The `parameters` of an error, or an empty object.
json::object parameters_of(const json::object& body) {
  const auto* member = body.if_contains("parameters");
  return member != nullptr && member->is_object() ? member->get_object() : json::object{};
}

/// The token, and the part of it that is a secret in whatever way the rest is written.
std::vector<std::string> secrets_of(const std::string& token) {
  return {token, token.substr(token.find(':') + 1)};
}

bool is_between(int status, int low, int high) {
  return low <= status && status <= high;
}

bool is_in_doubt(int status) {
  return is_between(status, 200, 299) || status == 400 || is_between(status, 500, 599);
}

/// The member that tells an answer of the API from anything else.
std::optional<bool> says_ok(const json::object& body) {
  const auto* ok = body.if_contains("ok");
  return ok != nullptr && ok->is_bool() ? std::optional{ok->get_bool()} : std::nullopt;
}

void read_message(const json::object& body, http_reading& out) {
  const auto* message = body.if_contains("result");
  auto id = message != nullptr && message->is_object()
                ? number_member(message->get_object(), "message_id")
                : std::nullopt;
  if (id)
    out.message_id = std::to_string(*id);
  else
    out.remark = "the answer names no message id";
}

/// Where a group is to be found now, if that is what an error is about.
std::optional<int64_t> migration_in(const json::object& body, const http_exchange& x,
                                    const http_reading& reading) {
  auto status = reading.status != 0 ? reading.status : x.status;
  return status == 400 ? number_member(parameters_of(body), "migrate_to_chat_id") : std::nullopt;
}

/// What an error of the API says; false if `body` is none.
bool read_error(const json::object& body, const http_exchange& x, system_clock::time_point now,
                http_reading& out) {
  auto code = number_member(body, "error_code").value_or(0);
  if (says_ok(body) != false)
    return false;
  if (is_between(x.status, 200, 299)) {
    if (code < 300 || code > 599)
      return false;
    out.status = static_cast<int>(code);
    out.code = std::to_string(code);
  }
  auto parameters = parameters_of(body);
  if (const auto* wait = parameters.if_contains("retry_after"))
    out.wait = parse_json_wait(*wait);
  auto status = out.status != 0 ? out.status : x.status;
  // Who says when to come again did not act, whatever the table says of other errors.
  auto comes_again = status == 503 && (out.wait || retry_after_of(x, now));
  if (!comes_again)
    out.rule = find_rule(rules, status, {}, text_member(body, "description"));
  return true;
}

} // namespace

std::span<const answer_rule> telegram_rules() {
  return rules;
}

caf::expected<std::shared_ptr<const telegram_dialect>>
telegram_dialect::make(const telegram_config& config) {
  if (auto problem = api_url_problem(config.api_url); !problem.empty())
    return invalid("telegram-api-url " + std::string{problem});
  if (config.token.empty())
    return invalid("telegram-token-file: there is no token");
  if (!is_bot_token(config.token))
    return invalid("telegram-token-file: not a bot's token, which looks like 123456:ABC-def");
  return std::shared_ptr<const telegram_dialect>{new telegram_dialect(config)};
}

telegram_dialect::telegram_dialect(const telegram_config& config)
    : url_(config.api_url + "/bot" + config.token + "/sendMessage"),
      profile_{"telegram", http_column::api, false, true, secrets_of(config.token)},
      migrations_(std::make_unique<chat_migrations>(max_migrations)) {}

std::variant<http_request, outcome> telegram_dialect::request_for(const send_request& x,
                                                                  system_clock::time_point) const {
  json::value chat;
  if (auto number = chat_number(x.recipient))
    chat = migrations_->current(*number);
  else if (is_chat_name(x.recipient))
    chat = json::string{x.recipient};
  else
    return refused_unsent(name(), "telegram_invalid_chat", "neither a number nor @name");
  if (x.content.text.empty())
    return refused_unsent(name(), "telegram_text_empty", "the message has no text");
  auto units = utf16_length(x.content.text);
  if (units > max_text_units)
    return refused_unsent(name(), "telegram_text_too_long",
                          std::to_string(units) + " UTF-16 code units, the limit is "
                              + std::to_string(max_text_units));
  http_request result;
  result.url = url_;
  result.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  result.body = body_of(chat, x.content.text);
  return result;
}

outcome telegram_dialect::outcome_of(const std::string& recipient, const http_exchange& x,
                                     system_clock::time_point now) const {
  http_reading reading;
  auto body = json_object_of(x);
  if (body && is_between(x.status, 200, 299) && says_ok(*body) == true)
    read_message(*body, reading);
  else if (!body || !read_error(*body, x, now, reading))
    reading.rule = is_in_doubt(x.status) ? &bad_answer : nullptr;
  else if (auto moved_to = migration_in(*body, x, reading))
    remember_migration(recipient, *moved_to, reading);
  return classify_http(x, profile_, reading, now);
}

void telegram_dialect::remember_migration(const std::string& recipient, int64_t moved_to,
                                          http_reading& reading) const {
  auto chat = chat_number(recipient);
  if (!chat)
    return;
  migrations_->add(*chat, moved_to);
  reading.rule = &chat_migrated;
}

caf::expected<provider_ptr> make_telegram_provider(http_client_ptr client,
                                                   const telegram_config& config) {
  auto dialect = telegram_dialect::make(config);
  if (!dialect)
    return std::move(dialect.error());
  return provider_ptr{std::make_shared<http_provider>(std::move(client), std::move(*dialect))};
}

} // namespace notify
