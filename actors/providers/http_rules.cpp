#include "actors/providers/http_rules.hpp"

namespace notify {

namespace {

using kind = outcome_kind;
using phase = send_phase;
using event = http_event;

constexpr http_event_rule event_rules[] = {
    // From here on the provider may have acted on the request.
    {event::closed, true, phase::none, kind::unknown, kind::retry, "http_reply_lost", ""},
    {event::failed, true, phase::none, kind::unknown, kind::retry, "http_reply_lost", ""},
    {event::timed_out, true, phase::none, kind::unknown, kind::retry, "http_reply_timeout", ""},
    {event::malformed, true, phase::none, kind::unknown, kind::retry, "http_bad_answer",
     "not HTTP, or a head too large"},
    {event::stopped, true, phase::none, kind::unknown, kind::retry, "http_stopped", ""},

    // Nobody acts on a request that is shorter than it says.
    {event::invalid_request, false, phase::none, kind::permanent, kind::permanent,
     "http_invalid_request", "not a URL of ours, or a header with a line break"},
    {event::blocked_address, false, phase::none, kind::permanent, kind::permanent,
     "http_blocked_address", "an address inside our network"},
    {event::dns_not_found, false, phase::none, kind::retry, kind::retry, "dns_not_found",
     "an outage more often than a typing error"},
    {event::dns_failed, false, phase::none, kind::retry, kind::retry, "dns_failed", ""},
    {event::timed_out, false, phase::resolve, kind::retry, kind::retry, "dns_timeout", ""},
    {event::timed_out, false, phase::connect, kind::retry, kind::retry, "http_connect_timeout", ""},
    {event::timed_out, false, phase::tls, kind::retry, kind::retry, "http_tls_timeout", ""},
    {event::timed_out, false, phase::none, kind::retry, kind::retry, "http_send_timeout", ""},
    {event::closed, false, phase::connect, kind::retry, kind::retry, "http_connect_failed", ""},
    {event::failed, false, phase::resolve, kind::retry, kind::retry, "dns_failed", ""},
    {event::failed, false, phase::connect, kind::retry, kind::retry, "http_connect_failed", ""},
    {event::closed, false, phase::tls, kind::retry, kind::retry, "http_tls_failed", ""},
    {event::failed, false, phase::tls, kind::retry, kind::retry, "http_tls_failed", ""},
    {event::closed, false, phase::none, kind::retry, kind::retry, "http_connection_lost", ""},
    {event::failed, false, phase::none, kind::retry, kind::retry, "http_connection_lost", ""},
    {event::tls_failed, false, phase::none, kind::retry, kind::retry, "http_tls_failed", ""},
    {event::untrusted, false, phase::none, kind::hold, kind::retry, "http_certificate_invalid",
     "certificates get renewed; verification is never switched off"},
    {event::malformed, false, phase::none, kind::retry, kind::retry, "http_bad_answer",
     "the other side spoke first"},
    {event::stopped, false, phase::none, kind::interrupted, kind::interrupted, "http_stopped",
     "given back, no attempt is used up"},
};

/// The same in all three columns.
constexpr http_status_rule same(int first, int last, kind result, std::string_view reason,
                                std::string_view note = {}) {
  return {first, last, false, result, result, result, reason, note};
}

/// About our account or our settings for an API, about one endpoint for a webhook.
constexpr http_status_rule ours(int first, int last, std::string_view reason,
                                std::string_view note) {
  return {first, last, false, kind::hold, kind::hold, kind::retry, reason, note};
}

/// May have been raised after the message was accepted.
constexpr http_status_rule doubtful(int first, int last, std::string_view reason,
                                    std::string_view note) {
  return {first, last, false, kind::unknown, kind::unknown, kind::retry, reason, note};
}

/// As `doubtful`, but repeating it under the same key is what the provider expects.
constexpr http_status_rule doubtful_without_key(int first, int last, std::string_view reason,
                                                std::string_view note) {
  return {first, last, false, kind::unknown, kind::retry, kind::retry, reason, note};
}

/// The request as it is will not do.
constexpr http_status_rule refusal(int first, int last) {
  http_status_rule result{
      first,           last,        false,          kind::permanent,
      kind::permanent, kind::retry, "http_refused", "for webhooks see `webhook-retry-4xx`"};
  result.can_be_final = true;
  return result;
}

constexpr http_status_rule slow_down(int status, std::string_view note = {}) {
  http_status_rule result{status,
                          status,
                          false,
                          kind::retry_after,
                          kind::retry_after,
                          kind::retry_after,
                          "http_rate_limited",
                          note};
  result.pauses_channel = true;
  return result;
}

constexpr http_status_rule come_again(int status) {
  http_status_rule result{status,
                          status,
                          true,
                          kind::retry_after,
                          kind::retry_after,
                          kind::retry_after,
                          "http_unavailable",
                          "refused before acting"};
  result.pauses_channel = true;
  return result;
}

constexpr http_status_rule gone() {
  http_status_rule result = same(410, 410, kind::permanent, "http_gone");
  result.suppresses_endpoint = true;
  return result;
}

constexpr http_status_rule too_large_for_now() {
  return {413,
          413,
          true,
          kind::retry_after,
          kind::retry_after,
          kind::retry_after,
          "http_too_large",
          "RFC 9110, section 15.5.14"};
}

constexpr http_status_rule conflict() {
  return {409,
          409,
          false,
          kind::permanent,
          kind::retry,
          kind::retry,
          "http_conflict",
          "with a key: the first request under it may still run"};
}

constexpr std::string_view after_the_send = "may be raised after the message was accepted";
constexpr std::string_view lost_backend = "a gateway lost a backend that may have gone on working";
constexpr std::string_view other_proxy = "of a proxy, which did not reach its backend";
constexpr std::string_view not_followed = "never followed: a POST would become a GET elsewhere";

constexpr http_status_rule status_rules[] = {
    same(200, 299, kind::sent, "", "if the adapter's own reading of the body agrees"),

    ours(301, 301, "http_redirect", not_followed),
    ours(308, 308, "http_redirect", not_followed),
    same(300, 399, kind::retry, "http_redirect", not_followed),

    refusal(400, 400),
    ours(401, 401, "http_unauthorized", "a key was changed or revoked"),
    ours(402, 402, "http_payment_required", "money"),
    ours(403, 403, "http_forbidden", "also temporary blocks of an account"),
    ours(404, 404, "http_not_found", "a wrong URL in the settings"),
    refusal(405, 406),
    ours(407, 407, "http_proxy_refused", ""),
    same(408, 408, kind::retry, "http_request_timeout", "RFC 9110, section 15.5.9"),
    conflict(),
    gone(),
    refusal(411, 411),
    too_large_for_now(),
    same(413, 413, kind::permanent, "http_too_large"),
    refusal(414, 419),
    slow_down(420, "some providers' hourly limit"),
    same(421, 421, kind::retry, "http_misdirected", "on a new connection"),
    refusal(422, 422),
    same(423, 424, kind::retry, "http_locked"),
    same(425, 425, kind::retry, "http_too_early", "RFC 8470"),
    slow_down(429),
    same(451, 451, kind::permanent, "http_legal_refusal"),
    refusal(400, 499),

    doubtful_without_key(500, 500, "http_server_error", after_the_send),
    ours(501, 501, "http_not_supported", "something on the way is set up wrongly"),
    doubtful_without_key(502, 502, "http_gateway_error", lost_backend),
    come_again(503),
    same(503, 503, kind::retry, "http_unavailable", "refused before acting"),
    doubtful_without_key(504, 504, "http_gateway_error", lost_backend),
    ours(505, 505, "http_not_supported", "something on the way is set up wrongly"),
    same(507, 507, kind::retry, "http_unavailable"),
    ours(510, 511, "http_not_supported", "511: a network that wants a login"),
    same(521, 523, kind::retry, "http_origin_unreachable", other_proxy),
    doubtful_without_key(524, 524, "http_gateway_error", lost_backend),
    same(525, 526, kind::retry, "http_origin_unreachable", other_proxy),
    come_again(529),
    same(529, 529, kind::retry, "http_unavailable", "refused before acting"),
    same(530, 530, kind::retry, "http_origin_unreachable", other_proxy),
    doubtful(500, 599, "http_server_error", after_the_send),

    // 1xx is no final answer, and what is no status says nothing.
    doubtful(0, 999, "http_bad_answer", "1xx, or no status of HTTP"),
};

} // namespace

std::span<const http_event_rule> http_event_rules() {
  return event_rules;
}

std::span<const http_status_rule> http_status_rules() {
  return status_rules;
}

} // namespace notify
