#include "actors/providers/io_threads.hpp"
#include "actors/trace_exporter.hpp"
#include "actors/tracer.hpp"
#include "messages/log.hpp"
#include "messages/registration.hpp"
#include "tests/support/otlp_receiver.hpp"
#include "tests/support/wait.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <catch2/catch.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::otlp_receiver;
namespace web = test::web;

constexpr auto trace_id = "0af7651916cd43dd8448eb211c80319c";

/// An exporter on real threads, since a real socket is at its end.
struct exporter_fixture {
  struct system_config : caf::actor_system_config {
    system_config() { register_messages(*this); }
  };

  explicit exporter_fixture(const std::string& endpoint) {
    config.endpoint = endpoint;
    config.interval = 5ms;
    config.timeout = 5s;
  }

  ~exporter_fixture() {
    self->send_exit(exporter, caf::exit_reason::user_shutdown);
    self->wait_for(exporter);
    dir->clear();
    exporter = trace_exporter_actor{};
    io.stop();
  }

  void start() {
    trace = tracer{config, dir};
    trace_exporter_config own{config, {"one", "1.2.3"}, trace.budget(), 500ms};
    exporter = system.spawn(trace_exporter, own, make_trace_client(io.context(), config));
    dir->put(actor_names::trace_exporter, caf::actor_cast<caf::strong_actor_ptr>(exporter));
  }

  void make(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      auto x = trace.begin("send", {trace_id, "b7ad6b7169203331", true});
      x->attributes = {{"attempt", "2"}, {"channel", "e\"mail"}};
      x->links = {traceparent_of(trace_id, "00f067aa0ba902b7", true)};
      x->failure = "smtp_rcpt_refused";
      trace.end(std::move(*x));
    }
  }

  actor_status status() {
    actor_status result;
    self->request(exporter, caf::infinite, get_status{})
        .receive([&](actor_status& x) { result = std::move(x); }, [](caf::error&) {});
    return result;
  }

  int64_t counter(const std::string& name) { return status().counters[name]; }

  bool reaches(const std::string& name, int64_t value) {
    return eventually([&] { return counter(name) == value; }, 20s);
  }

  tracing_config config;
  system_config system_settings;
  caf::actor_system system{system_settings};
  caf::scoped_actor self{system};
  io_threads io{1};
  directory_ptr dir = std::make_shared<directory>();
  tracer trace;
  trace_exporter_actor exporter;
};

TEST_CASE("a span arrives as OTLP has it") {
  otlp_receiver receiver;
  exporter_fixture fixture{receiver.endpoint()};
  fixture.config.headers = {{"x-token", "secret"}};
  fixture.start();
  fixture.make(1);
  REQUIRE(fixture.reaches("exported", 1));
  auto spans = receiver.spans();
  REQUIRE(spans.size() == 1);
  const auto& x = spans.front();
  CHECK(x.instance == "one");
  CHECK(x.trace_id == trace_id);
  CHECK(x.parent_id == "b7ad6b7169203331");
  CHECK(x.name == "send");
  CHECK(x.kind == 3);
  CHECK(x.attributes
        == std::map<std::string, std::string>{{"attempt", "2"}, {"channel", "e\"mail"}});
  CHECK(x.links
        == std::vector<std::pair<std::string, std::string>>{{trace_id, "00f067aa0ba902b7"}});
  CHECK(x.failed);
  CHECK(x.failure == "smtp_rcpt_refused");
  CHECK(x.start_ns > 1'700'000'000'000'000'000);
  CHECK(receiver.requests().front().header("x-token") == "secret");
  CHECK(fixture.counter("waiting") == 0);
}

TEST_CASE("many spans go out in few requests") {
  otlp_receiver receiver;
  exporter_fixture fixture{receiver.endpoint() + "/v1/traces"};
  fixture.config.batch = 100;
  fixture.config.interval = 50ms;
  fixture.start();
  fixture.make(1000);
  REQUIRE(fixture.reaches("exported", 1000));
  CHECK(receiver.spans().size() == 1000);
  CHECK(receiver.requests().size() >= 10);
  CHECK(receiver.requests().size() <= 30);
  CHECK(fixture.counter("dropped") == 0);
}

TEST_CASE("a collector that is busy gets the batch again, as late as it asks") {
  for (auto status : {429, 503}) {
    otlp_receiver receiver{
        test::http_script{web::take_request(), web::answer(status, "", {{"Retry-After", "1"}}),
                          web::repeat({web::take_request(), web::answer(200, "{}")})}};
    exporter_fixture fixture{receiver.endpoint()};
    fixture.start();
    auto begin = std::chrono::steady_clock::now();
    fixture.make(1);
    REQUIRE(fixture.reaches("exported", 1));
    CHECK(std::chrono::steady_clock::now() - begin >= 1s);
    CHECK(receiver.requests().size() == 2);
    CHECK(receiver.requests()[0].body == receiver.requests()[1].body);
    CHECK(fixture.counter("retries") == 1);
    CHECK(fixture.counter("dropped") == 0);
  }
}

TEST_CASE("what a collector refuses is dropped, counted, and not sent again") {
  otlp_receiver receiver{
      test::http_script{web::take_request(), web::answer(400, "no"),
                        web::repeat({web::take_request(), web::answer(200, "{}")})}};
  exporter_fixture fixture{receiver.endpoint()};
  fixture.start();
  fixture.make(1);
  REQUIRE(fixture.reaches("dropped", 1));
  CHECK(fixture.status().last_error == "status 400");
  fixture.make(1);
  REQUIRE(fixture.reaches("exported", 1));
  CHECK(receiver.requests().size() == 2);
  CHECK(fixture.counter("waiting") == 0);
}

TEST_CASE("with a collector that is away everything is dropped and nothing kept") {
  exporter_fixture fixture{"http://127.0.0.1:1"};
  fixture.start();
  for (int64_t i = 1; i <= 5; ++i) {
    fixture.make(10);
    REQUIRE(fixture.reaches("dropped", i * 10));
  }
  CHECK(fixture.counter("waiting") == 0);
  CHECK(fixture.counter("exported") == 0);
}

TEST_CASE("a collector that says nothing fills the queue, and no more than that") {
  otlp_receiver receiver{test::http_script{web::freeze()}};
  exporter_fixture fixture{receiver.endpoint()};
  fixture.config.queue = 100;
  fixture.config.timeout = 1min;
  fixture.start();
  fixture.make(500);
  CHECK(fixture.counter("dropped") == 400);
  CHECK(fixture.counter("waiting") == 100);
}

TEST_CASE("at the end what is there goes out, and a silent collector is not waited for") {
  otlp_receiver receiver;
  {
    exporter_fixture fixture{receiver.endpoint()};
    fixture.config.interval = 1h;
    fixture.start();
    fixture.make(3);
  }
  CHECK(receiver.spans().size() == 3);
  otlp_receiver silent{test::http_script{web::freeze()}};
  exporter_fixture fixture{silent.endpoint()};
  fixture.config.timeout = 1min;
  fixture.start();
  fixture.make(3);
  // Its destructor waits for the exporter's end; ctest has a limit.
}

} // namespace
} // namespace notify
