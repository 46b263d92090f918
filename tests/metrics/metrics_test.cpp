#include "tests/metrics/sample_metrics.hpp"

#include "messages/error.hpp"
#include "messages/refusal_reason.hpp"

#include <catch2/catch.hpp>

#include <regex>
#include <set>
#include <thread>

namespace notify {
namespace {

using namespace test;
using namespace std::chrono_literals;

bool has(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("metrics survive what counts in them") {
  auto metrics = private_metrics();
  for (int life = 0; life < 3; ++life) {
    auto& channel = metrics->channel("email");
    channel.sent.Increment();
    channel.dead["expired"].Increment();
    metrics->provider("email", "smtp").pauses.Increment();
    metrics->session("claim")->on_call(2ms, life == 1);
  }
  auto text = metrics->text();
  CHECK(has(text, "notify_jobs_sent_total{channel=\"email\"} 3"));
  CHECK(has(text, "notify_jobs_dead_total{channel=\"email\",reason=\"expired\"} 3"));
  CHECK(has(text, "notify_provider_pauses_total{channel=\"email\",provider=\"smtp\"} 3"));
  CHECK(has(text, "notify_db_query_seconds_count{role=\"claim\"} 3"));
  CHECK(has(text, "notify_db_query_failures_total{role=\"claim\"} 1"));
}

TEST_CASE("labels come from closed lists, whatever comes from outside") {
  auto metrics = private_metrics();
  metrics->ingest.refused["not_json"].Increment();
  metrics->ingest.refused["a text of somebody's"].Increment();
  metrics->channel("email").dead["user@example.com refused"].Increment();
  metrics->on_answer("/health/live", "G E T", 400, 0.1, 1);
  auto text = metrics->text();
  CHECK(has(text, "notify_ingest_invalid_total{reason=\"not_json\"} 1"));
  CHECK(has(text, "notify_ingest_invalid_total{reason=\"other\"} 1"));
  CHECK(has(text, "notify_jobs_dead_total{channel=\"email\",reason=\"other\"} 1"));
  CHECK(text.find("somebody's") == std::string::npos);
  CHECK(text.find("example.com") == std::string::npos);
  CHECK(text.find("G E T") == std::string::npos);
  // Each reason has its series from the start: a rate needs a zero before the first one.
  for (auto reason : all_refusal_reasons())
    CHECK(text.find("reason=\"" + to_string(reason) + "\"") != std::string::npos);
}

TEST_CASE("a partition that is another's now has no lag here") {
  auto metrics = private_metrics();
  metrics->show_lag({{{"orders", 0}, 5}, {{"orders", 1}, 6}});
  metrics->show_lag({{{"orders", 1}, 7}});
  auto text = metrics->text();
  CHECK(text.find("partition=\"0\"") == std::string::npos);
  CHECK(has(text, "notify_kafka_lag_records{partition=\"1\",topic=\"orders\"} 7"));
}

TEST_CASE("answers of providers count by what they are") {
  auto metrics = private_metrics();
  auto& x = metrics->provider("email", "resend");
  outcome answer;
  answer.kind = outcome_kind::retry_after;
  answer.provider_status = 429;
  x.answered(answer, 10ms);
  answer = {};
  answer.kind = outcome_kind::unknown;
  answer.reason = "http_reply_timeout";
  x.answered(answer, 10ms);
  CHECK(x.rate_limited.Value() == 1);
  CHECK(x.timeouts.Value() == 1);
  CHECK(has(metrics->text(), "notify_provider_requests_total{channel=\"email\","
                             "provider=\"resend\",result=\"unknown\"} 1"));
}

TEST_CASE("actors of a pool count together, silent ones apart") {
  auto text = complete_metrics()->text();
  CHECK(has(text, "notify_actors{actor=\"delivery-worker-email\"} 2"));
  CHECK(has(text, "notify_actors_silent{actor=\"delivery-worker-email\"} 1"));
  CHECK(has(text, "notify_actor_restarts_total{actor=\"delivery-worker-email\"} 2"));
  CHECK(has(text, "notify_slots{channel=\"email\",state=\"busy\"} 5"));
}

TEST_CASE("a scrape sees whole numbers while others count") {
  auto metrics = private_metrics();
  auto& sent = metrics->channel("email").sent;
  std::thread worker{[&] {
    for (int i = 0; i < 20'000; ++i)
      sent.Increment();
  }};
  for (int i = 0; i < 20; ++i)
    CHECK(metrics->text().find("notify_jobs_sent_total") != std::string::npos);
  worker.join();
  CHECK(sent.Value() == 20'000);
}

TEST_CASE("D-F7: a scrape has only labels that are known to be safe") {
  const std::set<std::string> safe{"topic",  "partition", "channel", "provider", "result",
                                   "reason", "status",    "route",   "method",   "role",
                                   "actor",  "state",     "table",   "book",     "change",
                                   "cause",  "kind",      "le",      "version"};
  auto text = complete_metrics()->text();
  std::regex label{"[{,]([a-z_]+)=\""};
  for (std::sregex_iterator i{text.begin(), text.end(), label}, end; i != end; ++i) {
    INFO((*i)[1].str());
    CHECK(safe.contains((*i)[1].str()));
  }
  // Who holds a snapshot is a name that somebody chose.
  CHECK(text.find("psql") == std::string::npos);
}

} // namespace
} // namespace notify
