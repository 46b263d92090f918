#include "actors/dead_letter_relay.hpp"

#include "actors/inbox_writer.hpp"
#include "tests/actors/ingest/sample_records.hpp"
#include "tests/actors/ingest/scripted_ingest_store.hpp"
#include "tests/dead_letters/fakes.hpp"
#include "tests/dead_letters/letter_samples.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/probe.hpp"

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using kafka::delivery;

struct relay_fixture : actor_fixture {
  relay_fixture() {
    config.timing.drain_timeout = 0s;
    config.timing.batch_letters = 10;
    config.origin = {"dlq", "group", "1"};
  }

  ~relay_fixture() { stop(relay); }

  void start() {
    relay =
        system.spawn(dead_letter_relay, config, letter_relay_store_ptr{letters}, broker.factory());
    settle();
    // The look for reports comes a moment after a batch.
    for (int i = 0; i < 100; ++i)
      advance(1ms);
  }

  void add(int64_t first, int64_t last) {
    for (auto id = first; id <= last; ++id)
      letters->add(sample_letter(id));
  }

  actor_status status() { return *ask<actor_status>(relay, get_status{}); }

  int64_t counter(const std::string& name) { return status().counters[name]; }

  /// Ids of what the broker took, in order.
  std::vector<std::string> taken() {
    std::vector<std::string> result;
    for (const auto& x : broker.taken)
      result.push_back(header_of(x.headers, "notify-dlq-id"));
    return result;
  }

  std::shared_ptr<memory_letters> letters = std::make_shared<memory_letters>();
  scripted_broker broker;
  dead_letter_relay_config config;
  dead_letter_relay_actor relay;
};

TEST_CASE_METHOD(relay_fixture, "the relay publishes by id, in batches, and marks afterwards") {
  add(1, 25);
  start();
  CHECK(letters->unpublished() == 0);
  REQUIRE(broker.taken.size() == 25);
  CHECK(taken().front() == "1");
  CHECK(taken().back() == "25");
  CHECK(letters->marks == 3);
  CHECK(letters->releases == 1);
  CHECK(counter("published") == 25);
  CHECK(status().state == "running");
  // Nothing twice.
  advance(1min);
  CHECK(broker.asked == 25);
}

TEST_CASE_METHOD(relay_fixture, "a letter is marked after its report, not before") {
  add(1, 1);
  broker.silent = true;
  start();
  CHECK(broker.asked == 1);
  CHECK(letters->unpublished() == 1);
  CHECK(status().state == "publishing");
  broker.silent = false;
  advance(1ms);
  CHECK(letters->unpublished() == 0);
}

TEST_CASE_METHOD(relay_fixture, "the relay wakes by a hint, and by itself") {
  start();
  add(1, 1);
  self->send(relay, dead_letters_stored{1});
  settle();
  advance(1ms);
  CHECK(letters->unpublished() == 0);
  add(2, 2);
  advance(config.timing.poll_interval + 10ms);
  CHECK(letters->unpublished() == 0);
}

TEST_CASE_METHOD(relay_fixture, "inbox writers hint at dead letters, and only then") {
  auto storage = std::make_shared<scripted_ingest_store>();
  inbox_writer_config own;
  own.relay = [this] { return relay; };
  start();
  auto writer = system.spawn(inbox_writer, own, ingest_store_ptr{storage}, routes(),
                             dispatcher_resolver{[] { return job_dispatcher_actor{}; }});
  auto reads = letters->reads;
  REQUIRE(ask<batch_stored>(writer, store_batch{1, {record(1, envelope(1))}}));
  CHECK(letters->reads == reads);
  REQUIRE(ask<batch_stored>(writer, store_batch{2, {record(2, "not json")}}));
  CHECK(letters->reads == reads + 1);
  stop(writer);
}

TEST_CASE_METHOD(relay_fixture,
                 "K-5: what is too large is published as a stub, the rest as it is") {
  add(1, 3);
  broker.rule = [](const kafka::outgoing_record& x) {
    if (header_of(x.headers, "notify-dlq-id") == "2" && x.value.present)
      return failure(delivery::refused, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    return success();
  };
  start();
  CHECK(letters->unpublished() == 0);
  REQUIRE(broker.taken.size() == 3);
  CHECK(letters->get(1).info.publish_note.empty());
  CHECK(letters->get(2).info.publish_note == "too_large");
  CHECK(counter("stubs") == 1);
}

TEST_CASE_METHOD(relay_fixture,
                 "a letter that is refused in any form does not hold up the others") {
  add(1, 25);
  broker.rule = [](const kafka::outgoing_record& x) {
    if (header_of(x.headers, "notify-dlq-id") == "2")
      return failure(delivery::refused, RD_KAFKA_RESP_ERR_INVALID_RECORD);
    return success();
  };
  start();
  CHECK(letters->unpublished() == 1);
  CHECK(broker.taken.size() == 24);
  CHECK(counter("refused") == 1);
  auto asked = broker.asked;
  advance(30s);
  CHECK(broker.asked == asked);
  broker.rule = {};
  advance(31s);
  CHECK(letters->unpublished() == 0);
}

TEST_CASE_METHOD(relay_fixture,
                 "K-5: a topic that refuses us parks the relay, which tries slowly") {
  add(1, 25);
  broker.rule = [](const auto&) {
    return failure(delivery::not_written, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  };
  start();
  CHECK(status().state == "parked");
  CHECK_FALSE(status().last_error.empty());
  CHECK(letters->unpublished() == 25);
  auto asked = broker.asked;
  CHECK(asked == size_t{config.timing.batch_letters});
  // Hints do not hurry it.
  self->send(relay, dead_letters_stored{1});
  advance(59s);
  CHECK(broker.asked == asked);
  advance(2s);
  advance(10ms);
  CHECK(broker.asked == 2 * asked);
  broker.rule = {};
  advance(61s);
  for (int i = 0; i < 100; ++i)
    advance(1ms);
  CHECK(letters->unpublished() == 0);
  CHECK(status().state == "running");
  CHECK(status().last_error.empty());
}

TEST_CASE_METHOD(relay_fixture, "K-5: the same if the producer says so at once") {
  add(1, 3);
  broker.produce_error = caf::make_error(ec::kafka_unavailable, std::string{"not authorized"});
  start();
  CHECK(status().state == "parked");
  CHECK(broker.asked == 1);
  broker.produce_error = caf::none;
  advance(61s);
  advance(10ms);
  CHECK(letters->unpublished() == 0);
}

TEST_CASE_METHOD(relay_fixture, "a broker that is away is asked again with growing distances") {
  add(1, 3);
  broker.rule = [](const auto&) {
    return failure(delivery::possibly_written, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT);
  };
  start();
  CHECK(status().state == "waiting for kafka");
  CHECK(broker.asked == 3);
  advance(1s);
  advance(10ms);
  CHECK(broker.asked == 6);
  advance(1s);
  CHECK(broker.asked == 6);
  advance(1s);
  advance(10ms);
  CHECK(broker.asked == 9);
  broker.rule = {};
  advance(5s);
  advance(10ms);
  CHECK(letters->unpublished() == 0);
}

TEST_CASE_METHOD(relay_fixture, "K-16: a fatal producer is replaced and nothing is forgotten") {
  add(1, 5);
  broker.silent = true;
  start();
  CHECK(broker.producers == 1);
  broker.broken = true;
  advance(1ms);
  CHECK(counter("producers_replaced") == 1);
  CHECK(letters->unpublished() == 5);
  broker.silent = false;
  advance(2s);
  advance(10ms);
  CHECK(broker.producers == 2);
  CHECK(letters->unpublished() == 0);
  CHECK(broker.taken.size() == 5);
}

TEST_CASE_METHOD(relay_fixture, "a producer that never reports is replaced as well") {
  add(1, 1);
  broker.silent = true;
  start();
  advance(41s);
  CHECK(counter("producers_replaced") == 1);
  broker.silent = false;
  advance(2s);
  advance(10ms);
  CHECK(letters->unpublished() == 0);
}

TEST_CASE_METHOD(relay_fixture, "marks that the database did not take are tried again, alone") {
  add(1, 3);
  letters->takes_marks = false;
  start();
  CHECK(broker.asked == 3);
  CHECK(status().state == "waiting for storage");
  CHECK(counter("unmarked") == 3);
  letters->takes_marks = true;
  advance(2s);
  CHECK(letters->unpublished() == 0);
  CHECK(broker.asked == 3);
}

TEST_CASE_METHOD(relay_fixture, "K-5: a crash between acknowledgement and mark doubles one id") {
  add(1, 1);
  letters->takes_marks = false;
  start();
  self->send_exit(relay, caf::exit_reason::kill);
  settle();
  letters->takes_marks = true;
  start();
  CHECK(letters->unpublished() == 0);
  CHECK(taken() == std::vector<std::string>{"1", "1"});
}

TEST_CASE_METHOD(relay_fixture, "the relay waits while the database is away or another one works") {
  add(1, 3);
  letters->available = false;
  start();
  CHECK(status().state == "waiting for storage");
  letters->available = true;
  letters->other_relay = true;
  advance(2s);
  CHECK(status().state == "standby");
  CHECK(broker.asked == 0);
  letters->other_relay = false;
  advance(6s);
  advance(10ms);
  CHECK(letters->unpublished() == 0);
}

TEST_CASE_METHOD(relay_fixture, "an orderly stop marks what was acknowledged") {
  config.timing.drain_timeout = 1s;
  add(1, 1);
  broker.silent = true;
  start();
  broker.silent = false;
  stop(relay);
  CHECK(letters->unpublished() == 0);
  CHECK(letters->releases == 1);
}

} // namespace
} // namespace notify
