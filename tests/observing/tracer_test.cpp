#include "actors/batch_trace.hpp"
#include "actors/delivery_trace.hpp"
#include "actors/ingest_plan.hpp"
#include "actors/tracer.hpp"
#include "tests/actors/ingest/sample_records.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

namespace notify {
namespace {

constexpr auto sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr auto unsampled = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

/// A tracer whose spans come to the test.
struct tracer_fixture : test::actor_fixture {
  tracer_fixture() {
    auto actor = system.spawn([log = spans](caf::event_based_actor*) -> caf::behavior {
      return {
          [log](const spans_ended& x) { log->insert(log->end(), x.spans.begin(), x.spans.end()); }};
    });
    exporter = caf::actor_cast<trace_exporter_actor>(actor);
    dir->put(actor_names::trace_exporter, caf::actor_cast<caf::strong_actor_ptr>(exporter));
    config.endpoint = "http://127.0.0.1:4318";
  }

  ~tracer_fixture() {
    dir->clear();
    stop(exporter);
  }

  tracer make() { return tracer{config, dir}; }

  tracing_config config;
  directory_ptr dir = std::make_shared<directory>();
  std::shared_ptr<std::vector<span>> spans = std::make_shared<std::vector<span>>();
  trace_exporter_actor exporter;
};

delivery_job job_with(const std::string& traceparent) {
  delivery_job x;
  x.job_id = uuid::random();
  x.event_id = test::event_id(7);
  x.channel = "email";
  x.recipient = "secret@example.com";
  x.payload = R"({"secret":"words"})";
  x.attempt_no = 3;
  x.correlation_id = "corr";
  x.traceparent = traceparent;
  return x;
}

TEST_CASE_METHOD(tracer_fixture, "without an endpoint nothing is traced, and no header goes out") {
  config.endpoint.clear();
  auto trace = make();
  CHECK_FALSE(trace);
  delivery_trace job{trace};
  CHECK(job.begin(job_with(sampled)) == job_origin{test::event_id(7), "corr", ""});
  CHECK_FALSE(begin_consume(trace, 1, std::vector{test::record(1, "x")}));
  CHECK_FALSE(trace.begin("x", {"a", "b", true}));
  settle();
  CHECK(spans->empty());
}

TEST_CASE_METHOD(tracer_fixture, "send is a child of the event's span, and record one of send") {
  delivery_trace trace{make()};
  auto job = job_with(sampled);
  auto origin = trace.begin(job);
  attempt_result result;
  result.next = next_step::retry;
  result.result = "retryable_provider_error";
  result.answer.provider = "smtp";
  result.answer.provider_status = 450;
  result.answer.reason = "smtp_rcpt_refused";
  result.answer.detail = "450 secret@example.com is busy";
  trace.sent(job, result);
  trace.recorded(true);
  settle();
  REQUIRE(spans->size() == 2);
  const auto& send = spans->at(0);
  const auto& record = spans->at(1);
  CHECK(send.name == "send");
  CHECK(send.trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(send.parent_id == "b7ad6b7169203331");
  CHECK(origin.traceparent == traceparent_of(send.trace_id, send.span_id, true));
  CHECK(send.failure == "smtp_rcpt_refused");
  CHECK(send.attributes
        == std::map<std::string, std::string>{{"event_id", to_string(job.event_id)},
                                              {"job_id", to_string(job.job_id)},
                                              {"event_type", ""},
                                              {"attempt", "3"},
                                              {"channel", "email"},
                                              {"provider", "smtp"},
                                              {"status", "450"},
                                              {"error_class", "retryable_provider_error"}});
  CHECK(record.name == "record");
  CHECK(record.trace_id == send.trace_id);
  CHECK(record.parent_id == send.span_id);
  CHECK(record.start_us >= send.start_us);
}

TEST_CASE_METHOD(tracer_fixture, "all attempts of an event without a trace meet in one") {
  delivery_trace one{make()};
  delivery_trace other{make()}; // Of another process, for all it knows.
  one.begin(job_with(""));
  other.begin(job_with(""));
  one.returned(job_with(""));
  other.returned(job_with(""));
  settle();
  REQUIRE(spans->size() == 2);
  CHECK(spans->at(0).trace_id == spans->at(1).trace_id);
  CHECK(spans->at(0).trace_id.size() == 32);
  CHECK(spans->at(0).span_id != spans->at(1).span_id);
  CHECK(spans->at(0).parent_id.empty());
  CHECK(spans->at(0).failure == "interrupted");
}

TEST_CASE_METHOD(tracer_fixture, "the producer's flag decides, and is passed on") {
  delivery_trace trace{make()};
  auto origin = trace.begin(job_with(unsampled));
  CHECK(origin.traceparent.substr(0, 36) == std::string{unsampled}.substr(0, 36));
  CHECK(origin.traceparent.substr(52) == "-00");
  trace.sent(job_with(unsampled), {});
  trace.recorded(true);
  config.sample_ratio = 0;
  delivery_trace rare{make()};
  rare.begin(job_with(sampled));
  rare.returned(job_with(sampled));
  rare.begin(job_with(""));
  rare.returned(job_with(""));
  settle();
  REQUIRE(spans->size() == 1);
  CHECK(spans->front().trace_id == "0af7651916cd43dd8448eb211c80319c");
}

TEST_CASE_METHOD(tracer_fixture, "a traceparent that is not valid is as good as none") {
  auto trace = make();
  for (auto text : {"", "garbage", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
    CAPTURE(text);
    CHECK(trace.of_event(test::event_id(1), text) == trace.of_event(test::event_id(1), ""));
  }
}

TEST_CASE_METHOD(tracer_fixture, "about the asked share of events is sampled, the same anywhere") {
  config.sample_ratio = 0.25;
  auto trace = make();
  auto again = make();
  size_t count = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    auto context = trace.of_event(test::event_id(i), "");
    CHECK(context == again.of_event(test::event_id(i), ""));
    count += context.sampled ? 1 : 0;
  }
  CHECK(count > 880);
  CHECK(count < 1120);
}

TEST_CASE_METHOD(tracer_fixture, "ingest is a child of consume, and both link to their events") {
  auto trace = make();
  auto first = test::record(1, test::envelope(1));
  first.headers = {{"traceparent", {true, sampled}}};
  auto second = test::record(2, test::envelope(2));
  second.headers = {{"traceparent", {true, unsampled}}};
  auto third = test::record(3, test::envelope(3));
  third.headers = {{"traceparent", {true, "nonsense"}}};
  std::vector records{first, second, third};
  auto consume = begin_consume(trace, 5, records);
  auto ingest = begin_ingest(trace, 5, records);
  REQUIRE(consume);
  REQUIRE(ingest);
  CHECK(ingest->trace_id == consume->trace_id);
  CHECK(ingest->parent_id == consume->span_id);
  CHECK(consume->parent_id.empty());
  CHECK(consume->links == std::vector<std::string>{sampled});
  auto table = test::routes();
  add_links(trace, plan_batch(records, *table, {}), *ingest);
  REQUIRE(ingest->links.size() == 2);
  CHECK(ingest->links[0] == sampled);
  CHECK(ingest->links[1] == trace.link_to(test::event_id(3), ""));
  CHECK(begin_ingest(trace, 6, records)->trace_id != consume->trace_id);
}

TEST_CASE_METHOD(tracer_fixture, "a batch has no more links than a span may have") {
  auto trace = make();
  std::vector<delivery_job> jobs;
  for (uint64_t i = 0; i < 1000; ++i) {
    jobs.push_back(job_with(""));
    jobs.back().event_id = test::event_id(i);
  }
  trace_claim(trace, "email", tracer::now_us(), jobs);
  trace_claim(trace, "email", tracer::now_us(), {});
  settle();
  REQUIRE(spans->size() == 1);
  CHECK(spans->front().links.size() == tracer::max_links);
  CHECK(spans->front().attributes["jobs"] == "1000");
}

TEST_CASE_METHOD(tracer_fixture, "spans beyond the queue are dropped and counted") {
  config.queue = 10;
  auto trace = make();
  for (int i = 0; i < 25; ++i)
    trace.end(*trace.begin("x", {"0af7651916cd43dd8448eb211c80319c", "", true}));
  settle();
  CHECK(spans->size() == 10);
  CHECK(trace.budget()->dropped() == 15);
  dir->clear();
  trace.budget()->give_back(10);
  trace.end(*trace.begin("x", {"0af7651916cd43dd8448eb211c80319c", "", true}));
  CHECK(trace.budget()->dropped() == 16);
  CHECK(trace.budget()->waiting() == 0);
}

} // namespace
} // namespace notify
