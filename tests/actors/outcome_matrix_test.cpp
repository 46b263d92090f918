#include "actors/providers/http_classifier.hpp"
#include "actors/retry_policy.hpp"
#include "tests/providers/http_samples.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// From what happened on the wire to what becomes of the job: classifier and policy together.

namespace notify {
namespace {

using namespace std::chrono_literals;

struct row {
  std::string what;
  http_exchange exchange;
  next_step next;
  caf::timespan at_least;
  caf::timespan at_most;
  std::string dead_reason;
};

http_exchange limited(const std::string& wait) {
  auto x = test::answered(429);
  x.headers.emplace_back("Retry-After", wait);
  return x;
}

http_exchange slow_body() {
  auto x = test::answered(200);
  x.body_complete = false;
  return x;
}

TEST_CASE("Q-B14: what is permanent dies at once with its reason, what is transient never does") {
  using enum next_step;
  const std::string refused = "permanent_provider_error";
  const std::vector<row> rows{
      {"200", test::answered(200), sent, 0s, 0s, ""},
      {"202", test::answered(202), sent, 0s, 0s, ""},
      {"400", test::answered(400), dead, 0s, 0s, refused},
      {"401: our key, not the job", test::answered(401), retry, 1min, 1min, ""},
      {"404: our URL, not the job", test::answered(404), retry, 1min, 1min, ""},
      {"408", test::answered(408), retry, 5s, 5s, ""},
      {"410", test::answered(410), dead, 0s, 0s, refused},
      {"429", test::answered(429), retry, 5s, 5s, ""},
      {"429, seconds", limited("42"), retry, 42s, 42s, ""},
      {"429, date", limited("Thu, 01 Jan 2099 00:00:00 GMT"), retry, 1h, 1h, ""},
      {"429, garbage", limited("soon"), retry, 5s, 5s, ""},
      {"429, ten years", limited("315360000"), retry, 1h, 1h, ""},
      {"500: may have been sent", test::answered(500), retry, 10min, 10min, ""},
      {"503", test::answered(503), retry, 5s, 5s, ""},
      {"reset before the request was complete",
       test::ended(http_event::failed, send_phase::send_body, false), retry, 5s, 5s, ""},
      {"reset after it", test::ended(http_event::failed, send_phase::wait_reply, true), retry,
       10min, 10min, ""},
      {"slow body of a success", slow_body(), sent, 0s, 0s, ""},
  };
  const http_profile api{"api", http_column::api, false, true, {}};
  retry_policy policy;
  policy.jitter = 0;
  for (const auto& x : rows) {
    INFO(x.what);
    auto decision = decide(policy, classify_http(x.exchange, api, {}, test::sample_time), {}, 0.0);
    CHECK(to_string(decision.next) == to_string(x.next));
    CHECK(decision.delay >= x.at_least);
    CHECK(decision.delay <= x.at_most);
    CHECK(decision.dead_reason == x.dead_reason);
  }
}

} // namespace
} // namespace notify
