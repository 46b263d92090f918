#include "actors/delivery_worker.hpp"

#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/probe.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;

/// Renders everything but the key "broken".
class plain_templates : public template_set {
public:
  bool contains(const std::string&) const override { return true; }

  caf::expected<rendered_message> render(const delivery_job& job) const override {
    if (job.template_key == "broken")
      return caf::make_error(ec::invalid_template, std::string{"subject: name is missing"});
    return rendered_message{"subject", job.payload, "", "hash of " + job.payload};
  }
};

struct delivery_worker_fixture : test::actor_fixture {
  delivery_worker_fixture() {
    config.channel = "email";
    config.deadline = 30s;
    config.retry.jitter = 0;
    put(actor_names::dispatcher, dispatcher);
    put(actor_names::provider_client("email"), provider);
    put(actor_names::result_writer(0), writer);
    worker = system.spawn(delivery_worker, config, templates, dir);
    settle();
  }

  ~delivery_worker_fixture() {
    stop(worker);
    dir->clear();
    for (auto& x : probes)
      self->send_exit(x, caf::exit_reason::user_shutdown);
    settle();
  }

  /// Registers a fresh stand-in whose diary is `log`.
  void put(const std::string& name, const std::shared_ptr<test::received>& log) {
    auto probe = test::spawn_probe<caf::actor>(system, log);
    probes.push_back(probe);
    dir->put(name, caf::actor_cast<caf::strong_actor_ptr>(probe));
  }

  delivery_job make_job(const std::string& key = "order-paid.v1") {
    delivery_job x;
    x.job_id = uuid::random();
    x.attempt_no = 1;
    x.lease_id = 4;
    x.lease_size = 2;
    x.channel = "email";
    x.recipient = "user@example.com";
    x.template_key = key;
    x.payload = "{}";
    return x;
  }

  void give(const delivery_job& x) {
    self->send(worker, deliver{x});
    settle();
  }

  void answer(const delivery_job& x, outcome_kind kind) {
    outcome result;
    result.kind = kind;
    result.reason = "test";
    self->send(worker, send_finished{x.job_id, x.attempt_no, result});
    settle();
  }

  void confirm(const delivery_job& x) {
    self->send(worker, result_recorded{x.job_id, x.attempt_no, true});
    settle();
  }

  delivery_worker_config config;
  template_set_ptr templates = std::make_shared<plain_templates>();
  directory_ptr dir = std::make_shared<directory>();
  std::shared_ptr<test::received> dispatcher = std::make_shared<test::received>();
  std::shared_ptr<test::received> provider = std::make_shared<test::received>();
  std::shared_ptr<test::received> writer = std::make_shared<test::received>();
  std::vector<caf::actor> probes;
  delivery_worker_actor worker;
};

TEST_CASE_METHOD(delivery_worker_fixture,
                 "a worker offers itself, sends, records, and only then is free again") {
  CHECK(dispatcher->ready.size() == 1);
  auto job = make_job();
  give(job);
  REQUIRE(provider->sends.size() == 1);
  CHECK(provider->sends[0].recipient == "user@example.com");
  CHECK(provider->sends[0].idempotency_key == to_string(job.job_id));
  CHECK(writer->results.empty());
  answer(job, outcome_kind::sent);
  REQUIRE(writer->results.size() == 1);
  const auto& x = writer->results[0].result;
  CHECK(x.next == next_step::sent);
  CHECK(x.attempt == attempt_ref{job.job_id, 1, 4});
  CHECK(x.lease_size == 2u);
  CHECK(x.content_hash == "hash of {}");
  CHECK(dispatcher->ready.size() == 1);
  confirm(job);
  CHECK(dispatcher->ready.size() == 2);
}

TEST_CASE_METHOD(delivery_worker_fixture, "a failed attempt is recorded with its next distance") {
  auto job = make_job();
  give(job);
  answer(job, outcome_kind::retry);
  REQUIRE(writer->results.size() == 1);
  CHECK(writer->results[0].result.next == next_step::retry);
  CHECK(writer->results[0].result.delay == caf::timespan{5s});
  CHECK(writer->results[0].result.result == "retryable_provider_error");
}

TEST_CASE_METHOD(
    delivery_worker_fixture,
    "D-C9: a template that does not fit its event is a visible attempt, dead, never sent") {
  give(make_job("broken"));
  CHECK(provider->sends.empty());
  REQUIRE(writer->results.size() == 1);
  CHECK(writer->results[0].result.next == next_step::dead);
  CHECK(writer->results[0].result.result == "invalid_template_error");
  CHECK(writer->results[0].result.answer.reason == "render_error");
  CHECK(writer->results[0].result.answer.detail.find("name is missing") != std::string::npos);
}

TEST_CASE_METHOD(delivery_worker_fixture,
                 "a send without an answer has an unknown outcome after the deadline") {
  give(make_job());
  advance(34s);
  CHECK(writer->results.empty());
  advance(2s);
  REQUIRE(writer->results.size() == 1);
  CHECK(writer->results[0].result.result == "unknown_outcome");
}

TEST_CASE_METHOD(delivery_worker_fixture,
                 "a provider client that was restarted leaves an unknown outcome") {
  give(make_job());
  auto fresh = std::make_shared<test::received>();
  put(actor_names::provider_client("email"), fresh);
  advance(1s);
  REQUIRE(writer->results.size() == 1);
  CHECK(writer->results[0].result.result == "unknown_outcome");
  CHECK(fresh->sends.empty());
}

TEST_CASE_METHOD(delivery_worker_fixture,
                 "a job waits for a provider client that is between two restarts") {
  auto job = make_job();
  dir->clear();
  put(actor_names::result_writer(0), writer);
  give(job);
  advance(3s);
  CHECK(writer->results.empty());
  auto fresh = std::make_shared<test::received>();
  put(actor_names::provider_client("email"), fresh);
  advance(1s);
  CHECK(fresh->sends.size() == 1);
}

TEST_CASE_METHOD(delivery_worker_fixture,
                 "a result is told again to a restarted writer, and after silence") {
  auto job = make_job();
  give(job);
  answer(job, outcome_kind::sent);
  auto fresh = std::make_shared<test::received>();
  put(actor_names::result_writer(0), fresh);
  advance(1s);
  CHECK(fresh->results.size() == 1);
  advance(5s);
  CHECK(fresh->results.size() == 2);
  CHECK(fresh->results[1].result.attempt == writer->results[0].result.attempt);
  confirm(job);
  advance(60s);
  CHECK(fresh->results.size() == 2);
}

TEST_CASE_METHOD(delivery_worker_fixture,
                 "an idle worker offers itself to a restarted dispatcher") {
  auto fresh = std::make_shared<test::received>();
  auto old = dir->dispatcher();
  put(actor_names::dispatcher, fresh);
  self->send_exit(old, caf::exit_reason::kill);
  settle();
  advance(1s);
  CHECK(fresh->ready.size() == 1);
  CHECK(fresh->busy.empty());
}

TEST_CASE_METHOD(delivery_worker_fixture,
                 "a busy worker tells a restarted dispatcher what it holds") {
  auto job = make_job();
  give(job);
  auto fresh = std::make_shared<test::received>();
  auto old = dir->dispatcher();
  put(actor_names::dispatcher, fresh);
  self->send_exit(old, caf::exit_reason::kill);
  settle();
  advance(1s);
  REQUIRE(fresh->busy.size() == 1);
  CHECK(fresh->busy[0].attempt == attempt_ref{job.job_id, 1, 4});
  answer(job, outcome_kind::sent);
  confirm(job);
  CHECK(fresh->ready.size() == 1);
}

TEST_CASE_METHOD(delivery_worker_fixture, "answers of an earlier attempt are ignored") {
  auto job = make_job();
  give(job);
  auto other = job;
  other.attempt_no = 7;
  answer(other, outcome_kind::permanent);
  CHECK(writer->results.empty());
  answer(job, outcome_kind::sent);
  confirm(other);
  CHECK(dispatcher->ready.size() == 1);
}

} // namespace
} // namespace notify
