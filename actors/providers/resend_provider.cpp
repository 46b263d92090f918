#include "actors/providers/resend_provider.hpp"

#include "actors/providers/answer_body.hpp"
#include "actors/providers/api_url.hpp"
#include "actors/providers/mail_address.hpp"
#include "messages/error.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace notify {

namespace {

namespace json = boost::json;
using kind = outcome_kind;
using std::chrono::system_clock;

constexpr size_t max_key_characters = 256; ///< Of an idempotency key.
constexpr size_t max_secret_characters = 500;

constexpr answer_rule rules[] = {
    when("a page of HTML", 200, 299, kind::unknown, "http_not_json",
         "somebody else answered, such as a network that wants a login"),

    // About our account, under whatever status.
    {400, 403, "validation_error", "api key is invalid", kind::hold, "resend_key_refused", ""},
    {400, 403, "invalid_api_key", "", kind::hold, "resend_key_refused", ""},
    {400, 403, "missing_api_key", "", kind::hold, "resend_key_refused", ""},
    {400, 403, "restricted_api_key", "", kind::hold, "resend_key_refused", ""},
    {400, 422, "validation_error", "not verified", kind::hold, "resend_domain_refused",
     "the sender's domain"},
    {400, 422, "validation_error", "testing emails", kind::hold, "resend_domain_refused",
     "an account that may only send tests"},
    {400, 422, "invalid_from_address", "", kind::hold, "resend_sender_refused",
     "the sender comes from our settings"},
    {400, 499, "monthly_quota_exceeded", "", kind::hold, "resend_monthly_quota",
     "until somebody pays"},
    {400, 499, "daily_quota_exceeded", "", kind::retry_after, "resend_daily_quota", "", true, false,
     std::chrono::hours{1}},
    {400, 499, "rate_limit_exceeded", "", kind::retry_after, "http_rate_limited", "", true, false,
     std::chrono::seconds{1}},

    {400, 499, "concurrent_idempotent_requests", "", kind::retry, "idempotency_in_progress",
     "the first request under this key still runs"},
    {400, 499, "invalid_idempotent_request", "", kind::permanent, "idempotency_conflict",
     "another body was accepted under this key"},
    {400, 499, "invalid_idempotency_key", "", kind::permanent, "resend_invalid_key", ""},
    {400, 499, "security_error", "", kind::permanent, "resend_security_error", ""},
    {400, 400, "validation_error", "", kind::permanent, "resend_invalid_message", ""},
    {405, 405, "method_not_allowed", "", kind::permanent, "http_refused", "a fault of ours"},
};

constexpr const answer_rule& not_the_api = rules[0];

caf::error invalid(std::string what) {
  return caf::make_error(ec::invalid_config, std::move(what));
}

/// The address in `Shop <shop@example.com>`, or all of it.
std::string_view address_part(std::string_view from) {
  auto open = from.find('<');
  if (open == std::string_view::npos || !from.ends_with('>'))
    return from;
  return from.substr(open + 1, from.size() - open - 2);
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char x) {
    auto byte = static_cast<unsigned char>(x);
    return byte < 0x20 || byte == 0x7F;
  });
}

/// The members in a fixed order: a repeated request has to have the same bytes.
std::string body_of(const std::string& from, const std::string& to, const rendered_message& x) {
  json::object body;
  body["from"] = from;
  body["to"] = json::array{json::string{to}};
  body["subject"] = x.subject;
  if (!x.html.empty())
    body["html"] = x.html;
  body["text"] = x.text;
  return json::serialize(body);
}

/// The id of a mail, or the error, which is one under a status of success too.
void read_body(const json::object& body, int status, http_reading& out) {
  out.message_id = text_member(body, "id");
  if (!out.message_id.empty())
    return;
  auto said = number_member(body, "statusCode").value_or(0);
  if (status <= 299 && (said < 400 || said > 599))
    return;
  if (status <= 299)
    out.status = static_cast<int>(said);
  out.code = text_member(body, "name");
  out.rule = find_rule(rules, out.status != 0 ? out.status : status, out.code,
                       text_member(body, "message"));
}

} // namespace

std::span<const answer_rule> resend_rules() {
  return rules;
}

caf::expected<std::shared_ptr<const resend_dialect>>
resend_dialect::make(const resend_config& config) {
  if (auto problem = api_url_problem(config.api_url); !problem.empty())
    return invalid("resend-api-url " + std::string{problem});
  if (config.api_key.empty())
    return invalid("resend-key-file: there is no key");
  if (!is_visible_ascii(config.api_key, max_secret_characters))
    return invalid("resend-key-file: the key has blanks or other characters that no key has");
  if (has_control_character(config.from) || !parse_mail_address(address_part(config.from)))
    return invalid("resend-from must be a mail address, or a name and the address in <>");
  return std::shared_ptr<const resend_dialect>{new resend_dialect(config)};
}

resend_dialect::resend_dialect(const resend_config& config)
    : config_(config), profile_{"resend",
                                http_column::api,
                                config.key_lifetime.count() > 0,
                                true,
                                {config.api_key}} {}

std::variant<http_request, outcome> resend_dialect::request_for(const send_request& x,
                                                                system_clock::time_point) const {
  auto to = parse_mail_address(x.recipient);
  if (!to)
    return refused_unsent(name(), "resend_invalid_recipient", render(to.error()));
  if (has_control_character(x.content.subject))
    return refused_unsent(name(), "resend_invalid_message", "a line break in the subject");
  if (!is_visible_ascii(x.idempotency_key, max_key_characters))
    return refused_unsent(name(), "resend_invalid_key", "the key is no header's value");
  http_request result;
  result.url = config_.api_url + "/emails";
  result.headers = {{"Authorization", "Bearer " + config_.api_key},
                    {"Content-Type", "application/json"},
                    {"Accept", "application/json"},
                    {"Idempotency-Key", x.idempotency_key}};
  result.body = body_of(config_.from, to->text(), x.content);
  return result;
}

outcome resend_dialect::outcome_of(const std::string&, const http_exchange& x,
                                   system_clock::time_point now) const {
  http_reading reading;
  auto is_success = x.status >= 200 && x.status <= 299;
  if (auto body = json_object_of(x))
    read_body(*body, x.status, reading);
  else if (is_success && is_html(x))
    reading.rule = &not_the_api;
  if (is_success && reading.message_id.empty())
    reading.remark = "the answer names no message id";
  return classify_http(x, profile_, reading, now);
}

caf::expected<provider_ptr> make_resend_provider(http_client_ptr client,
                                                 const resend_config& config) {
  auto dialect = resend_dialect::make(config);
  if (!dialect)
    return std::move(dialect.error());
  return provider_ptr{std::make_shared<http_provider>(std::move(client), std::move(*dialect))};
}

} // namespace notify
