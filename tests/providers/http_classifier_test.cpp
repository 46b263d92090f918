#include "actors/providers/http_classifier.hpp"

#include "actors/providers/http_rules.hpp"
#include "tests/providers/http_samples.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

namespace notify {
namespace {

using namespace std::chrono_literals;
using kind = outcome_kind;
using phase = send_phase;
using event = http_event;
using test::answered;
using test::ended;
using test::sample_time;

const http_profile api{"api", http_column::api, false, true, {}};
const http_profile api_with_key{"api", http_column::api, true, true, {}};
const http_profile webhook{"webhook", http_column::webhook, false, true, {}};

const std::vector<event> all_events = {
    event::invalid_request, event::dns_not_found, event::dns_failed, event::blocked_address,
    event::closed,          event::failed,        event::timed_out,  event::tls_failed,
    event::untrusted,       event::malformed,     event::stopped};

const std::vector<phase> http_phases = {phase::none,       phase::resolve,      phase::connect,
                                        phase::tls,        phase::send_headers, phase::send_body,
                                        phase::wait_reply, phase::read_reply};

outcome classify(const http_exchange& x, const http_profile& profile) {
  return classify_http(x, profile, {}, sample_time);
}

void check(const outcome& result, kind expected, const std::string& reason) {
  CHECK(to_string(result.kind) == to_string(expected));
  CHECK(result.reason == reason);
}

TEST_CASE("P-33: statuses mean what the table says, for an API without and with a key and for a "
          "webhook") {
  struct row {
    int status;
    kind plain, keyed, hook;
    std::string reason;
  };
  const auto R = kind::retry;
  const auto A = kind::retry_after;
  const auto P = kind::permanent;
  const auto H = kind::hold;
  const auto U = kind::unknown;
  for (const auto& x : std::vector<row>{
           {100, U, U, R, "http_bad_answer"},
           {301, H, H, R, "http_redirect"},
           {302, R, R, R, "http_redirect"},
           {304, R, R, R, "http_redirect"},
           {307, R, R, R, "http_redirect"},
           {308, H, H, R, "http_redirect"},
           {400, P, P, R, "http_refused"},
           {401, H, H, R, "http_unauthorized"},
           {402, H, H, R, "http_payment_required"},
           {403, H, H, R, "http_forbidden"},
           {404, H, H, R, "http_not_found"},
           {405, P, P, R, "http_refused"},
           {407, H, H, R, "http_proxy_refused"},
           {408, R, R, R, "http_request_timeout"},
           {409, P, R, R, "http_conflict"},
           {410, P, P, P, "http_gone"},
           {413, P, P, P, "http_too_large"},
           {415, P, P, R, "http_refused"},
           {418, P, P, R, "http_refused"},
           {420, A, A, A, "http_rate_limited"},
           {421, R, R, R, "http_misdirected"},
           {422, P, P, R, "http_refused"},
           {423, R, R, R, "http_locked"},
           {425, R, R, R, "http_too_early"},
           {429, A, A, A, "http_rate_limited"},
           {431, P, P, R, "http_refused"},
           {451, P, P, P, "http_legal_refusal"},
           {499, P, P, R, "http_refused"},
           {500, U, R, R, "http_server_error"},
           {501, H, H, R, "http_not_supported"},
           {502, U, R, R, "http_gateway_error"},
           {503, R, R, R, "http_unavailable"},
           {504, U, R, R, "http_gateway_error"},
           {507, R, R, R, "http_unavailable"},
           {511, H, H, R, "http_not_supported"},
           {520, U, U, R, "http_server_error"},
           {521, R, R, R, "http_origin_unreachable"},
           {524, U, R, R, "http_gateway_error"},
           {527, U, U, R, "http_server_error"},
           {529, R, R, R, "http_unavailable"},
           {530, R, R, R, "http_origin_unreachable"},
           {599, U, U, R, "http_server_error"},
           {600, U, U, R, "http_bad_answer"},
           {0, U, U, R, "http_bad_answer"},
       }) {
    INFO(x.status);
    check(classify(answered(x.status), api), x.plain, x.reason);
    check(classify(answered(x.status), api_with_key), x.keyed, x.reason);
    check(classify(answered(x.status), webhook), x.hook, x.reason);
    CHECK(classify(answered(x.status), api).provider_status == x.status);
  }
}

TEST_CASE("D-C8: any status of success is one") {
  for (const auto& profile : {api, api_with_key, webhook})
    for (int status = 200; status < 300; ++status) {
      auto result = classify(answered(status), profile);
      check(result, kind::sent, "");
      CHECK(result.phase == phase::done);
    }
}

TEST_CASE("D-C6: every status has an outcome, and only those of success are sent") {
  for (const auto& profile : {api, api_with_key, webhook})
    for (int status = -1; status <= 1000; ++status) {
      INFO(status);
      auto result = classify(answered(status), profile);
      CHECK((result.kind == kind::sent) == (status >= 200 && status <= 299));
      CHECK(result.reason.empty() == (result.kind == kind::sent));
      CHECK(result.kind != kind::interrupted);
    }
  for (int status : {408, 425, 429, 500, 502, 503, 504})
    CHECK(classify(answered(status), webhook).kind != kind::permanent);
}

TEST_CASE("D-C6: an endpoint that is gone is not tried again, for this message or another") {
  CHECK(classify(answered(410), webhook).suppress_recipient);
  CHECK_FALSE(classify(answered(410), api).suppress_recipient);
  CHECK_FALSE(classify(answered(404), webhook).suppress_recipient);
}

TEST_CASE("a webhook's refusals are final if the settings say so") {
  auto strict = webhook;
  strict.retry_refusals = false;
  for (int status : {400, 405, 406, 411, 414, 415, 417, 422, 426, 428, 431})
    CHECK(classify(answered(status), strict).kind == kind::permanent);
  for (int status : {401, 403, 404, 408, 409, 425, 429, 500})
    CHECK(classify(answered(status), strict).kind != kind::permanent);
}

TEST_CASE("P-12: a rate limit is tried again, with and without a wait") {
  for (int status : {420, 429}) {
    auto plain = classify(answered(status), api);
    check(plain, kind::retry_after, "http_rate_limited");
    CHECK(plain.wait_hint == 0s);
    auto asked = classify(answered(status, {}, {{"Retry-After", "7"}}), api);
    check(asked, kind::retry_after, "http_rate_limited");
    CHECK(asked.wait_hint == 7s);
    auto reset = classify(answered(status, {}, {{"ratelimit-reset", "9"}}), api);
    CHECK(reset.wait_hint == 9s);
    CHECK(classify(answered(status, {}, {{"Retry-After", "7"}, {"ratelimit-reset", "9"}}), api)
              .wait_hint
          == 7s);
  }
}

TEST_CASE("a wait concerns all of an API's sends, but only one endpoint of webhooks") {
  http_headers wait = {{"Retry-After", "7"}};
  for (int status : {420, 429, 503, 529}) {
    CHECK(classify(answered(status, {}, wait), api).pause_channel);
    CHECK_FALSE(classify(answered(status, {}, wait), webhook).pause_channel);
    CHECK(classify(answered(status, {}, wait), webhook).wait_hint == 7s);
  }
  for (int status : {413, 500, 408})
    CHECK_FALSE(classify(answered(status, {}, wait), api).pause_channel);
  CHECK_FALSE(classify(answered(503), api).pause_channel);
}

TEST_CASE("D-C1: a wait is honoured wherever another attempt follows") {
  http_headers wait = {{"Retry-After", "7"}, {"ratelimit-reset", "9"}};
  check(classify(answered(503, {}, wait), api), kind::retry_after, "http_unavailable");
  check(classify(answered(413, {}, wait), api), kind::retry_after, "http_too_large");
  check(classify(answered(408, {}, wait), api), kind::retry_after, "http_request_timeout");
  check(classify(answered(302, {}, wait), api), kind::retry_after, "http_redirect");
  CHECK(classify(answered(302, {}, wait), api).wait_hint == 7s);
  // What is unknown stays so, and the reset of a limit means nothing where none was the reason.
  auto doubt = classify(answered(500, {}, wait), api);
  check(doubt, kind::unknown, "http_server_error");
  CHECK(doubt.wait_hint == 7s);
  CHECK(classify(answered(503, {}, {{"ratelimit-reset", "9"}}), api).wait_hint == 0s);
  CHECK(classify(answered(400, {}, wait), api).wait_hint == 0s);
}

TEST_CASE("P-7: a lost answer leaves it open whether an API took the message") {
  for (auto what : {event::closed, event::failed})
    check(classify(ended(what, phase::wait_reply, true), api), kind::unknown, "http_reply_lost");
  check(classify(ended(event::timed_out, phase::wait_reply, true), api), kind::unknown,
        "http_reply_timeout");
  check(classify(ended(event::malformed, phase::read_reply, true), api), kind::unknown,
        "http_bad_answer");
  check(classify(ended(event::stopped, phase::wait_reply, true), api), kind::unknown,
        "http_stopped");
  check(classify(ended(event::timed_out, phase::wait_reply, true), webhook), kind::retry,
        "http_reply_timeout");
}

TEST_CASE("what surely did not leave is told apart by its phase") {
  struct row {
    event what;
    phase where;
    kind plain, hook;
    std::string reason;
  };
  const auto R = kind::retry;
  for (const auto& x : std::vector<row>{
           {event::invalid_request, phase::none, kind::permanent, kind::permanent,
            "http_invalid_request"},
           {event::blocked_address, phase::resolve, kind::permanent, kind::permanent,
            "http_blocked_address"},
           {event::dns_not_found, phase::resolve, R, R, "dns_not_found"},
           {event::dns_failed, phase::resolve, R, R, "dns_failed"},
           {event::timed_out, phase::resolve, R, R, "dns_timeout"},
           {event::failed, phase::connect, R, R, "http_connect_failed"},
           {event::closed, phase::connect, R, R, "http_connect_failed"},
           {event::timed_out, phase::connect, R, R, "http_connect_timeout"},
           {event::failed, phase::tls, R, R, "http_tls_failed"},
           {event::tls_failed, phase::tls, R, R, "http_tls_failed"},
           {event::timed_out, phase::tls, R, R, "http_tls_timeout"},
           {event::untrusted, phase::tls, kind::hold, R, "http_certificate_invalid"},
           {event::failed, phase::send_body, R, R, "http_connection_lost"},
           {event::closed, phase::send_headers, R, R, "http_connection_lost"},
           {event::timed_out, phase::send_body, R, R, "http_send_timeout"},
           {event::malformed, phase::send_body, R, R, "http_bad_answer"},
           {event::stopped, phase::send_body, kind::interrupted, kind::interrupted, "http_stopped"},
       }) {
    INFO(to_string(x.what) << " in " << to_string(x.where));
    auto result = classify(ended(x.what, x.where, false), api);
    check(result, x.plain, x.reason);
    CHECK(result.phase == x.where);
    CHECK(result.detail == "some error");
    check(classify(ended(x.what, x.where, false), webhook), x.hook, x.reason);
  }
}

TEST_CASE("D-C3: a name that cannot be looked up is tried again, whatever the resolver says") {
  for (const auto& profile : {api, api_with_key, webhook}) {
    check(classify(ended(event::dns_failed, phase::resolve, false), profile), kind::retry,
          "dns_failed");
    check(classify(ended(event::dns_not_found, phase::resolve, false), profile), kind::retry,
          "dns_not_found");
  }
}

TEST_CASE("without an answer it is unknown if and only if the whole request had left") {
  for (auto what : all_events)
    for (auto where : http_phases)
      for (auto complete : {false, true}) {
        INFO(to_string(what) << " in " << to_string(where) << (complete ? ", sent" : ""));
        for (const auto& profile : {api, api_with_key}) {
          auto result = classify(ended(what, where, complete), profile);
          CHECK((result.kind == kind::unknown) == complete);
          CHECK((result.kind == kind::interrupted) == (what == event::stopped && !complete));
          CHECK(result.kind != kind::sent);
          CHECK_FALSE(result.reason.empty());
        }
        auto hook = classify(ended(what, where, complete), webhook);
        CHECK(hook.kind != kind::unknown);
        CHECK(hook.kind != kind::hold);
        CHECK(hook.kind != kind::sent);
      }
}

TEST_CASE("an error to a request that had not left completely leaves no doubt") {
  for (int status : {100, 500, 502, 504, 599}) {
    auto early = answered(status);
    early.request_complete = false;
    CHECK(classify(early, api).kind == kind::retry);
  }
}

TEST_CASE("D-D1: a redirect is a class of its own, and never followed") {
  for (int status : {300, 301, 302, 303, 307, 308})
    for (const auto& profile : {api, webhook})
      CHECK(
          classify(answered(status, {}, {{"Location", "http://169.254.169.254/"}}), profile).reason
          == "http_redirect");
}

TEST_CASE("D-B3: the detail is safe text without secrets") {
  auto profile = api;
  profile.secrets = {"top-secret"};
  CHECK(classify(answered(400, "key top-secret is wrong"), profile).detail == "key *** is wrong");
  CHECK(classify(answered(400, std::string{"a\0b\xFF", 4}), profile).detail
        == "a\xEF\xBF\xBD"
           "b\xEF\xBF\xBD");
  auto long_body = std::string(2044, 'x') + "top-secret";
  CHECK(classify(answered(400, long_body), profile).detail == std::string(2044, 'x') + "***");
  std::string euros;
  for (int i = 0; i < 1000; ++i)
    euros += "\xE2\x82\xAC";
  CHECK(classify(answered(400, euros), profile).detail.size() == 2046);
  CHECK(classify(answered(400, "ends in top-sec"), profile).detail == "ends in ");
  CHECK(classify(answered(200, "an echo of the message"), profile).detail.empty());
}

TEST_CASE("what an adapter read goes before the status") {
  constexpr answer_rule rule{400, 499, "taken", "", kind::retry_after, "slow", "", true, true, 5s};
  http_reading reading;
  reading.rule = &rule;
  reading.code = "taken";
  reading.message_id = "id";
  auto result = classify_http(answered(400), api, reading, sample_time);
  check(result, kind::retry_after, "slow");
  CHECK(result.pause_channel);
  CHECK(result.suppress_recipient);
  CHECK(result.wait_hint == 5s);
  CHECK(result.provider_code == "taken");
  CHECK(result.provider_message_id.empty());
  reading.wait = 9s;
  CHECK(
      classify_http(answered(400, {}, {{"Retry-After", "7"}}), api, reading, sample_time).wait_hint
      == 9s);
}

TEST_CASE("the tables' reasons are stable codes, and every event is in them") {
  std::set<event> seen;
  for (const auto& x : http_event_rules()) {
    seen.insert(x.event);
    CHECK(x.reason.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
    CHECK_FALSE(x.reason.empty());
  }
  CHECK(seen.size() == all_events.size());
  for (const auto& x : http_status_rules())
    CHECK(x.reason.empty() == (x.api == kind::sent));
}

} // namespace
} // namespace notify
