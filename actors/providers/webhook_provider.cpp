#include "actors/providers/webhook_provider.hpp"

#include "actors/providers/address_policy.hpp"
#include "actors/providers/api_url.hpp"
#include "actors/providers/webhook_signature.hpp"
#include "http/client/http_url.hpp"
#include "messages/error.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <utility>

namespace notify {

namespace {

using kind = outcome_kind;
using std::chrono::system_clock;

constexpr size_t max_id_characters = 256;

constexpr answer_rule rules[] = {
    when("with the header `webhook-delivery: abort-message`", 300, 599, kind::permanent,
         "webhook_aborted", "the receiver wants this message no more"),
};

constexpr const answer_rule& aborted = rules[0];

bool asks_to_abort(const http_exchange& x) {
  return x.status >= aborted.first_status && x.status <= aborted.last_status
         && boost::algorithm::iequals(x.header("webhook-delivery"), "abort-message");
}

} // namespace

std::span<const answer_rule> webhook_rules() {
  return rules;
}

caf::expected<std::shared_ptr<const webhook_dialect>>
webhook_dialect::make(const webhook_config& config) {
  if (config.secrets.empty())
    return caf::make_error(ec::invalid_config,
                           std::string{"webhook-secrets-file: there is no secret"});
  std::vector<std::string> secrets;
  for (const auto& text : config.secrets) {
    auto secret = parse_webhook_secret(text);
    if (!secret)
      return caf::make_error(ec::invalid_config,
                             "webhook-secrets-file: secret " + std::to_string(secrets.size() + 1)
                                 + " is not `whsec_` and the base64 of 24 to 64 bytes");
    secrets.push_back(std::move(*secret));
  }
  return std::shared_ptr<const webhook_dialect>{new webhook_dialect(config, std::move(secrets))};
}

webhook_dialect::webhook_dialect(const webhook_config& config, std::vector<std::string> secrets)
    : secrets_(std::move(secrets)),
      allow_http_(config.allow_http), profile_{"webhook", http_column::webhook, false,
                                               config.retry_refusals, config.secrets} {}

std::variant<http_request, outcome>
webhook_dialect::request_for(const send_request& x, system_clock::time_point now) const {
  auto url = parse_http_url(x.recipient);
  if (!url)
    return refused_unsent(name(), "webhook_invalid_url",
                          "not a URL with http or https, or one with a user");
  if (!allow_http_ && !url->is_tls)
    return refused_unsent(name(), "webhook_needs_https", "the settings do not allow plain http");
  // A dot would make the signed text ambiguous.
  if (!is_visible_ascii(x.idempotency_key, max_id_characters)
      || x.idempotency_key.find('.') != std::string::npos)
    return refused_unsent(name(), "webhook_invalid_id", "the key cannot be a webhook's id");
  auto timestamp = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  http_request result;
  result.url = x.recipient;
  result.headers = {
      {"Content-Type", "application/json"},
      {"webhook-id", x.idempotency_key},
      {"webhook-timestamp", std::to_string(timestamp)},
      {"webhook-signature", sign_webhook(secrets_, x.idempotency_key, timestamp, x.content.text)}};
  // Not signed and not in the body: what is signed stays the same over all attempts.
  if (!x.origin.traceparent.empty())
    result.headers.emplace_back("traceparent", x.origin.traceparent);
  result.body = x.content.text;
  return result;
}

outcome webhook_dialect::outcome_of(const std::string&, const http_exchange& x,
                                    system_clock::time_point now) const {
  http_reading reading;
  reading.rule = asks_to_abort(x) ? &aborted : nullptr;
  return classify_http(x, profile_, reading, now);
}

caf::expected<provider_ptr> make_webhook_provider(http_client_ptr client,
                                                  const webhook_config& config) {
  auto dialect = webhook_dialect::make(config);
  if (!dialect)
    return std::move(dialect.error());
  return provider_ptr{std::make_shared<http_provider>(std::move(client), std::move(*dialect))};
}

caf::expected<http_client::address_filter> make_webhook_filter(const webhook_config& config) {
  auto policy = address_policy::make(config.allow_private, config.allowed_networks);
  if (!policy)
    return std::move(policy.error());
  return http_client::address_filter{
      [policy = std::move(*policy)](const boost::asio::ip::address& x) {
        return policy.allows(x);
      }};
}

} // namespace notify
