#include "tests/operators/populated_fixture.hpp"

#include <catch2/catch.hpp>

namespace notify::test {
namespace {

struct story_fixture : populated_fixture {
  story_fixture() : populated_fixture(70) {}

  uuid one(const std::string& condition) { return *uuid::parse(expected(condition).at(0)); }
};

TEST_CASE_METHOD(story_fixture, "a notification's story has its event and its attempts in order") {
  auto id = one("n.status = 'dead' and n.correlation_id <> ''");
  db.query("insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, "
           "finished_at, latency_ms, provider_status) values ('"
           + to_string(id) + "', 2, 'sent', now(), now(), 7, 250)");
  auto story = required(reads.notification(id));
  CHECK(story.history.notification.id == id);
  REQUIRE(story.history.attempts.size() == 2);
  CHECK(story.history.attempts[0].attempt_no == 1);
  CHECK_FALSE(story.history.attempts[0].latency_ms);
  CHECK(story.history.attempts[1].latency_ms == 7);
  CHECK(story.history.attempts[1].provider_status == 250);
  CHECK(story.history.attempts[1].idempotency_key == to_string(id));
  CHECK_FALSE(story.history.attempts_cut);
  REQUIRE(story.event);
  CHECK(story.event->event_id == story.history.notification.event_id);
  CHECK(story.event->payload == R"({"n":9007199254740993})");
  CHECK(story.event->payload_sha256 == "00ff");
  CHECK(story.event->traceparent.size() == 55);
  CHECK_FALSE(story.event->correlation_id.empty());
}

TEST_CASE_METHOD(story_fixture, "an event's story has all of its notifications") {
  auto id = one("n.status = 'sent'");
  auto event = required(reads.notification(id)).history.notification.event_id;
  db.query("insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, "
           "template_key, locale) values (gen_random_uuid(), '"
           + to_string(event) + "', 't', 'webhook', 'r', 'k', 'en')");
  auto story = required(reads.event(event));
  REQUIRE(story.notifications.size() == 2);
  CHECK(story.event);
  size_t attempts = 0;
  for (const auto& x : story.notifications)
    attempts += x.attempts.size();
  CHECK(attempts == 1);
}

TEST_CASE_METHOD(story_fixture, "stories are bounded, and say so") {
  auto id = one("n.status = 'dead'");
  db.query("insert into notify.delivery_attempts (job_id, attempt_no, result, started_at, "
           "finished_at) select '"
           + to_string(id)
           + "', g, 'retryable_provider_error', now(), now() from generate_series(2, 300) g");
  auto story = required(reads.notification(id));
  CHECK(story.history.attempts_cut);
  REQUIRE(story.history.attempts.size() == 200);
  CHECK(story.history.attempts.front().attempt_no == 101);
  CHECK(story.history.attempts.back().attempt_no == 300);
  auto event = story.history.notification.event_id;
  db.query("insert into notify.notification_jobs (id, event_id, event_type, channel, recipient, "
           "template_key, locale) select gen_random_uuid(), '"
           + to_string(event) + "', 't', 'webhook', 'r', 'k', 'en' from generate_series(1, 150)");
  auto whole = required(reads.event(event));
  CHECK(whole.notifications_cut);
  CHECK(whole.notifications.size() == 100);
}

TEST_CASE_METHOD(story_fixture, "D-E2: a story whose event is gone is told all the same") {
  auto id = one("n.status = 'dead'");
  auto event = required(reads.notification(id)).history.notification.event_id;
  db.query("delete from notify.inbox_events where event_id = '" + to_string(event) + "'");
  auto story = required(reads.notification(id));
  CHECK_FALSE(story.event);
  CHECK(story.history.attempts.size() == 1);
  auto whole = required(reads.event(event));
  CHECK_FALSE(whole.event);
  CHECK(whole.notifications.size() == 1);
  // It is listed, and can be retried like any other.
  notification_filter dead;
  dead.status = "dead";
  CHECK(listed(reads, dead, 50) == expected("n.status = 'dead'"));
  CHECK(acts.retry({id, false, "ada"}));
}

TEST_CASE_METHOD(story_fixture, "what does not exist has no story") {
  auto nobody = reads.notification(uuid::random());
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error() == ec::not_found);
  auto nothing = reads.event(uuid::random());
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error() == ec::not_found);
  auto no_work = reads.operation(1);
  REQUIRE_FALSE(no_work);
  CHECK(no_work.error() == ec::not_found);
}

} // namespace
} // namespace notify::test
