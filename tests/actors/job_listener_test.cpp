#include "actors/job_listener.hpp"

#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/probe.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>

namespace notify {
namespace {

using namespace std::chrono_literals;

/// A line in memory. What it says it hears itself, unless it is deaf.
class fake_line : public notice_line {
public:
  bool is_open() const override { return open_; }
  void close() override { open_ = false; }

  caf::error open() override {
    ++openings;
    if (!available)
      return caf::make_error(ec::storage_unavailable, std::string{"off"});
    open_ = true;
    arrived.clear();
    return caf::none;
  }

  caf::error say(const std::string& text) override {
    if (full)
      return caf::make_error(ec::storage_unavailable, std::string{"full"});
    said.push_back(text);
    if (!deaf)
      arrived.push_back({text, true});
    return caf::none;
  }

  caf::expected<std::vector<notice>> hear(caf::timespan, int) override {
    if (breaks) {
      breaks = false;
      return caf::make_error(ec::storage_unavailable, std::string{"broken"});
    }
    return std::exchange(arrived, {});
  }

  size_t count(const std::string& text) const {
    return static_cast<size_t>(std::count(said.begin(), said.end(), text));
  }

  bool available = true, full = false, deaf = false, breaks = false;
  size_t openings = 0;
  std::vector<std::string> said;
  std::vector<notice> arrived;

private:
  bool open_ = false;
};

struct job_listener_fixture : test::actor_fixture {
  job_listener_fixture() {
    config.channels = {"email"};
    config.metrics = metrics;
    dispatcher = test::spawn_probe<job_dispatcher_actor>(system, heard);
    dir->put(actor_names::dispatcher, caf::actor_cast<caf::strong_actor_ptr>(dispatcher));
  }

  ~job_listener_fixture() {
    self->send_exit(listener, caf::exit_reason::kill);
    turn(5);
    stop(dispatcher);
    dir->clear();
  }

  void start() {
    listener = system.spawn(job_listener, config, line, signal, dir);
    turn();
  }

  /// The listener never rests, so nothing settles; and it is always the first in the queue.
  void turn(size_t times = 10) {
    for (size_t i = 0; i < times; ++i) {
      scheduler.try_run_once();
      scheduler.try_run_once_lifo();
    }
  }

  void pass(caf::timespan time) {
    scheduler.clock().advance_time(time);
    turn();
  }

  actor_status ask_now() {
    auto pending = self->request(listener, caf::infinite, get_status{});
    turn();
    actor_status answer;
    pending.receive([&](const actor_status& x) { answer = x; }, [](const caf::error&) {});
    return answer;
  }

  double up() { return metrics->listener.up.Value(); }

  job_listener_config config;
  metrics_ptr metrics = private_metrics();
  std::shared_ptr<fake_line> line = std::make_shared<fake_line>();
  std::shared_ptr<job_signal> signal = std::make_shared<job_signal>();
  directory_ptr dir = std::make_shared<directory>();
  std::shared_ptr<test::received> heard = std::make_shared<test::received>();
  job_dispatcher_actor dispatcher;
  job_listener_actor listener;
};

TEST_CASE_METHOD(job_listener_fixture, "a new line begins with a look for everything") {
  start();
  REQUIRE(heard->hints.size() == 1);
  CHECK(heard->hints[0].channels == std::vector<std::string>{"email"});
  CHECK(up() == 1);
}

TEST_CASE_METHOD(job_listener_fixture, "what others stored wakes the dispatcher") {
  start();
  line->arrived = {{"email,telegram", false}, {"email", false}, {"telegram", false}};
  turn();
  REQUIRE(heard->hints.size() == 2);
  CHECK(heard->hints[1].channels == std::vector<std::string>{"email"});
  // Its own notices are no news, nor other processes' tests.
  line->arrived = {{"email", true}, {"probe:x", false}};
  turn();
  CHECK(heard->hints.size() == 2);
}

TEST_CASE_METHOD(job_listener_fixture, "Q-B21: many batches are a few notices, the last one too") {
  start();
  for (int i = 0; i < 50; ++i) {
    signal->raise({"email"});
    pass(2ms);
  }
  CHECK(line->count("email") <= 2);
  pass(100ms);
  auto before = line->count("email");
  pass(500ms);
  CHECK(line->count("email") == before);
  CHECK(before >= 1);
}

TEST_CASE_METHOD(job_listener_fixture, "a broken line is made anew, with a look for everything") {
  start();
  line->breaks = true;
  line->available = false;
  turn();
  CHECK(up() == 0);
  for (int i = 0; i < 10; ++i)
    pass(7s);
  auto tries = line->openings;
  CHECK(tries > 5);
  line->available = true;
  pass(7s);
  CHECK(up() == 1);
  CHECK(heard->hints.size() == 2);
}

TEST_CASE_METHOD(job_listener_fixture,
                 "Q-B18: a line whose tests do not come back is not trusted") {
  line->deaf = true;
  start();
  CHECK(up() == 0);
  pass(5s);
  CHECK(up() == 0);
  auto status = ask_now();
  CHECK(status.last_error.find("pooler") != std::string::npos);
  line->deaf = false;
  pass(6s);
  CHECK(up() == 1);
}

TEST_CASE_METHOD(job_listener_fixture, "Q-B19: a full queue of notices is counted and survived") {
  start();
  line->full = true;
  signal->raise({"email"});
  pass(200ms);
  CHECK(metrics->listener.notices_failed.Value() >= 1);
  pass(6s);
  CHECK(up() == 0);
  line->full = false;
  pass(6s);
  CHECK(up() == 1);
}

TEST_CASE_METHOD(job_listener_fixture, "a process that only ingests only tells") {
  config.channels.clear();
  start();
  signal->raise({"email"});
  pass(200ms);
  CHECK(line->said == std::vector<std::string>{"email"});
  CHECK(heard->hints.empty());
}

} // namespace
} // namespace notify
