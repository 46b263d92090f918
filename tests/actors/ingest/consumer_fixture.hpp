#pragma once

#include "actors/consumer.hpp"
#include "actors/crash_report.hpp"
#include "messages/error.hpp"
#include "tests/actors/ingest/scripted_source.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>

namespace notify::test {

/// Batches that a scripted writer holds until the test answers them.
struct writer_script {
  struct held {
    store_batch batch;
    caf::typed_response_promise<batch_stored> answer;
  };

  /// Lets the writer answer its oldest batch when it runs next.
  void store() { answer(ec::none); }

  void fail(ec code) { answer(code); }

  void answer(ec code) {
    REQUIRE_FALSE(waiting.empty());
    caf::anon_send(actor, static_cast<int>(code));
  }

  std::deque<held> waiting;
  caf::actor actor;
};

/// Dynamically typed, because the test talks to it, too. Answers only from inside a handler: a
/// promise must not be used by anyone but its actor.
inline caf::behavior scripted_writer(caf::event_based_actor* self, writer_script* script) {
  report_crashes(self);
  return {
      [self, script](const store_batch& x) {
        auto answer = self->make_response_promise<batch_stored>();
        script->waiting.push_back({x, answer});
        return answer;
      },
      [script](int code) {
        auto x = std::move(script->waiting.front());
        script->waiting.pop_front();
        if (code == 0)
          x.answer.deliver(batch_stored{x.batch.id, x.batch.records.size(), 0, 0, 0});
        else
          x.answer.deliver(caf::make_error(static_cast<ec>(code), std::string{"scripted"}));
      },
      [](const crash_now& x) { crash(x); },
  };
}

/// A consumer with a scripted source and two scripted writers, in virtual time. The consumer sends
/// itself the next tick at once, so a test runs a number of turns instead of settling.
struct consumer_fixture : actor_fixture {
  explicit consumer_fixture(consumer_config values = small_config()) : config(std::move(values)) {
    for (auto& x : scripts) {
      x->actor = system.spawn(scripted_writer, x.get());
      writers->push_back(caf::actor_cast<inbox_writer_actor>(x->actor));
    }
    settle();
  }

  ~consumer_fixture() {
    if (consumer != nullptr) {
      source->answer_close = source->answer_commits = true;
      self->send_exit(consumer, caf::exit_reason::user_shutdown);
      finish();
    }
    for (auto& x : scripts) {
      x->waiting.clear();
      self->send_exit(x->actor, caf::exit_reason::kill);
    }
    settle();
    CHECK(source->faults == std::vector<std::string>{});
  }

  static consumer_config small_config() {
    consumer_config result;
    result.batch_records = 10;
    result.buffer_records = 40;
    return result;
  }

  void spawn() {
    auto make = [s = source]() -> caf::expected<std::unique_ptr<kafka::record_source>> {
      return std::unique_ptr<kafka::record_source>{new scripted_source{s}};
    };
    consumer = system.spawn(notify::consumer, config, record_source_factory{make},
                            writer_resolver{[w = writers] { return *w; }}, tracer{});
    settle();
  }

  /// A member of the group with these partitions.
  void join(std::vector<kafka::topic_partition> partitions) {
    spawn();
    scripts[0]->store();
    source->assign(std::move(partitions));
    turns();
    REQUIRE(source->joined);
  }

  /// Runs everybody in turn until the consumer went through some rounds of its loop, each ending
  /// in an empty poll.
  void turns(int n = 30) {
    auto target = source->empty_polls + n;
    while (source->empty_polls < target && step()) {
    }
  }

  /// Runs everybody until there is nothing left to do: only while the consumer does not poll.
  void settle() {
    while (step()) {
    }
  }

  /// The scheduler would run an actor that always has a message for ever.
  bool step() {
    auto& jobs = scheduler.jobs;
    if (!scheduler.try_run_once())
      return false;
    if (!jobs.empty())
      std::rotate(jobs.begin(), jobs.begin() + 1, jobs.end());
    return true;
  }

  void pass(caf::timespan amount) {
    scheduler.clock().advance_time(amount);
    turns();
  }

  /// Time passes until the consumer ended.
  void finish() {
    for (int i = 0; i < 40; ++i) {
      turns();
      scheduler.clock().advance_time(std::chrono::seconds{1});
    }
    settle();
  }

  actor_status status() {
    auto pending = self->request(consumer, caf::infinite, get_status{});
    turns();
    actor_status result;
    pending.receive([&](actor_status& x) { result = std::move(x); },
                    [&](caf::error& err) { FAIL(render(err)); });
    return result;
  }

  int64_t counter(const std::string& name) { return status().counters.at(name); }

  /// The script of a writer that holds a batch.
  writer_script& holder() {
    auto i =
        std::find_if(scripts.begin(), scripts.end(), [](auto& x) { return !x->waiting.empty(); });
    REQUIRE(i != scripts.end());
    return **i;
  }

  /// Batches that wait for the test's answer.
  size_t held_batches() const {
    size_t result = 0;
    for (const auto& x : scripts)
      result += x->waiting.size();
    return result;
  }

  /// Offsets of a partition that writers hold, in order.
  std::vector<int64_t> held(const kafka::topic_partition& where) const {
    std::vector<int64_t> result;
    for (const auto& script : scripts)
      for (const auto& x : script->waiting)
        for (const auto& record : x.batch.records)
          if (record.topic == where.topic && record.partition == where.partition)
            result.push_back(record.offset);
    return result;
  }

  consumer_config config;
  std::shared_ptr<source_script> source = std::make_shared<source_script>();
  std::vector<std::shared_ptr<writer_script>> scripts = {std::make_shared<writer_script>(),
                                                         std::make_shared<writer_script>()};
  std::shared_ptr<std::vector<inbox_writer_actor>> writers =
      std::make_shared<std::vector<inbox_writer_actor>>();
  consumer_actor consumer;
};

} // namespace notify::test
