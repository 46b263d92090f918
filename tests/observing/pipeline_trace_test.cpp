#include "actors/tracer.hpp"
#include "tests/integration/pipeline_fixture.hpp"
#include "tests/support/otlp_receiver.hpp"
#include "tests/support/wait.hpp"

#include <caf/scoped_actor.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

// The whole service with a collector, from Kafka's header to the provider's.

namespace notify::test {
namespace {

using namespace std::chrono_literals;

constexpr auto sent_jobs = "select count(*) from notify.notifications where status = 'sent'";
constexpr auto trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr auto producer_span = "00f067aa0ba902b7";

kafka::outgoing_record traced_event(const std::string& traceparent) {
  auto record = pipeline_fixture::event();
  record.headers.push_back({"traceparent", {true, traceparent}});
  return record;
}

std::string valid_traceparent() {
  return std::string{"00-"} + trace_id + "-" + producer_span + "-01";
}

bool links_to_producer(const collected_span& x) {
  std::pair<std::string, std::string> producer{trace_id, producer_span};
  return std::find(x.links.begin(), x.links.end(), producer) != x.links.end();
}

/// The only span of this name; fails the test if there is another number of them.
collected_span only(const otlp_receiver& receiver, const std::string& name) {
  auto found = receiver.named(name);
  INFO(name);
  REQUIRE(found.size() == 1);
  return found.front();
}

service_config traced(service_config config, const otlp_receiver& receiver) {
  config.tracing.endpoint = receiver.endpoint();
  config.tracing.interval = 20ms;
  return config;
}

TEST_CASE("an event's trace goes from its header through inbox and job to the attempt") {
  otlp_receiver receiver;
  pipeline_fixture fixture;
  {
    running_pipeline pipeline{traced(fixture.config(), receiver)};
    fixture.publish({traced_event(valid_traceparent())});
    fixture.require_value(sent_jobs, "1");
    REQUIRE(eventually([&] { return receiver.named("record").size() == 1; }));
  }
  auto event_id = fixture.db.value("select event_id from notify.inbox_events");
  auto job_id = fixture.db.value("select id from notify.notification_jobs");
  auto consume = only(receiver, "consume");
  auto ingest = only(receiver, "ingest");
  auto claim = only(receiver, "claim");
  auto send = only(receiver, "send");
  auto record = only(receiver, "record");
  // Work for many events has a trace of its own and links to theirs.
  for (const auto& x : {consume, ingest, claim}) {
    CAPTURE(x.name);
    CHECK(x.trace_id != trace_id);
    CHECK(x.links.size() == 1);
    CHECK(links_to_producer(x));
    CHECK_FALSE(x.failed);
  }
  CHECK(consume.parent_id.empty());
  CHECK(consume.kind == 5);
  CHECK(ingest.trace_id == consume.trace_id);
  CHECK(ingest.parent_id == consume.span_id);
  CHECK(ingest.start_ns >= consume.start_ns);
  CHECK(ingest.attributes["jobs"] == "1");
  // Work for this event belongs to its trace.
  CHECK(send.trace_id == trace_id);
  CHECK(send.parent_id == producer_span);
  CHECK(record.trace_id == trace_id);
  CHECK(record.parent_id == send.span_id);
  CHECK(send.attributes["event_id"] == event_id);
  CHECK(send.attributes["job_id"] == job_id);
  CHECK(send.attributes["attempt"] == "1");
  CHECK(send.attributes["channel"] == "email");
  CHECK(send.attributes["provider"] == "log");
  CHECK(record.attributes["applied"] == "true");
  // No words of the event: not who it is for and not what it says.
  for (const auto& x : receiver.requests()) {
    CHECK(x.body.find("buyer@example.com") == std::string::npos);
    CHECK(x.body.find("total_amount") == std::string::npos);
  }
}

TEST_CASE(
    "K-22: a traceparent that is not valid is ignored, and the event's spans meet by its id") {
  otlp_receiver receiver;
  pipeline_fixture fixture;
  {
    running_pipeline pipeline{traced(fixture.config(), receiver)};
    fixture.publish({traced_event("\xC3\x28"), traced_event("00-zz-zz-01"), fixture.event()});
    fixture.require_value(sent_jobs, "3");
    REQUIRE(eventually([&] { return receiver.named("record").size() == 3; }));
  }
  auto sends = receiver.named("send");
  REQUIRE(sends.size() == 3);
  for (const auto& x : sends) {
    CHECK(x.parent_id.empty());
    auto event_id = uuid::parse(x.attributes.at("event_id"));
    REQUIRE(event_id);
    tracing_config config;
    config.endpoint = receiver.endpoint();
    CHECK(x.trace_id == tracer(config, nullptr).of_event(*event_id, "").trace_id);
  }
  for (const auto& x : receiver.named("record"))
    CHECK(std::any_of(sends.begin(), sends.end(), [&](const auto& send) {
      return send.trace_id == x.trace_id && send.span_id == x.parent_id;
    }));
  for (const auto& x : receiver.named("ingest"))
    for (const auto& link : x.links)
      CHECK(std::any_of(sends.begin(), sends.end(),
                        [&](const auto& send) { return send.trace_id == link.first; }));
}

TEST_CASE("an event that its producer did not sample leaves no span") {
  otlp_receiver receiver;
  pipeline_fixture fixture;
  {
    running_pipeline pipeline{traced(fixture.config(), receiver)};
    fixture.publish({traced_event(std::string{"00-"} + trace_id + "-" + producer_span + "-00")});
    fixture.require_value(sent_jobs, "1");
    fixture.publish({fixture.event()});
    fixture.require_value(sent_jobs, "2");
    REQUIRE(eventually([&] { return receiver.named("record").size() == 1; }));
  }
  for (const auto& x : receiver.spans()) {
    CHECK(x.trace_id != trace_id);
    CHECK_FALSE(links_to_producer(x));
  }
}

TEST_CASE("a collector that is away or silent holds up no delivery") {
  for (auto silent : {false, true}) {
    CAPTURE(silent);
    otlp_receiver receiver{http_script{silent ? web::freeze() : web::reset()}};
    pipeline_fixture fixture;
    auto config = traced(fixture.config(), receiver);
    config.tracing.queue = 50;
    config.tracing.timeout = 1min;
    running_pipeline pipeline{config};
    fixture.publish(fixture.events(500));
    // All of it is sent while not a single span could be handed over.
    fixture.require_value(sent_jobs, "500");
    caf::scoped_actor self{pipeline.system()};
    auto dropped = [&] {
      int64_t result = 0;
      self->request(pipeline->actors()->trace_exporter(), caf::infinite, get_status{})
          .receive([&](actor_status& x) { result = x.counters["dropped"]; }, [](caf::error&) {});
      return result;
    };
    CHECK(eventually([&] { return dropped() >= 900; }));
  }
}

} // namespace
} // namespace notify::test
