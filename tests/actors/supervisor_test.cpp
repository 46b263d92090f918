#include "actors/supervisor.hpp"

#include "actors/crash_report.hpp"
#include "messages/error.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;

/// A child that obeys `crash_now` and writes down its life.
child_spec make_child(const std::string& name, std::shared_ptr<std::vector<std::string>> diary) {
  return {name, [name, diary](caf::local_actor& parent) {
            diary->push_back("start " + name);
            return caf::actor_cast<caf::strong_actor_ptr>(
                parent.spawn([name, diary](caf::event_based_actor* self) -> caf::behavior {
                  report_crashes(self);
                  self->set_exit_handler([self, name, diary](caf::exit_msg& x) {
                    diary->push_back("stop " + name);
                    self->quit(x.reason);
                  });
                  return {[](const crash_now& x) { crash(x); }};
                }));
          }};
}

struct supervisor_fixture : test::actor_fixture {
  using lines = std::vector<std::string>;

  supervisor_fixture() { setup.policy = {100ms, 400ms, 60s, 3, 60s}; }

  ~supervisor_fixture() {
    stop(tree);
    dir->clear();
  }

  void start(const std::vector<std::string>& names, stop_order order = stop_order::reversed) {
    setup.name = "root";
    setup.order = order;
    std::vector<child_spec> specs;
    for (const auto& name : names)
      specs.push_back(make_child(name, diary));
    tree = system.spawn(supervisor, setup, specs, dir);
    settle();
    self->monitor(tree);
  }

  caf::strong_actor_ptr child(const std::string& name) {
    auto list = ask<child_list>(tree, get_children{});
    for (auto& x : list->children)
      if (x.name == name)
        return x.handle;
    return nullptr;
  }

  void break_child(const std::string& name) {
    self->send(caf::actor_cast<caf::actor>(child(name)), crash_now{"boom"});
    settle();
  }

  /// The supervisor's own end, if it ended.
  std::optional<caf::error> ending() {
    std::optional<caf::error> result;
    settle();
    self->receive([&](const caf::down_msg& x) { result = x.reason; },
                  caf::after(std::chrono::seconds(0)) >> [] {});
    return result;
  }

  supervisor_setup setup;
  directory_ptr dir = std::make_shared<directory>();
  std::shared_ptr<lines> diary = std::make_shared<lines>();
  supervisor_actor tree;
};

TEST_CASE_METHOD(supervisor_fixture, "children start in order and stop in reverse order") {
  start({"a", "b", "c"});
  CHECK(*diary == lines{"start a", "start b", "start c"});
  diary->clear();
  stop(tree);
  CHECK(*diary == lines{"stop c", "stop b", "stop a"});
  CHECK(ending() == caf::error{caf::exit_reason::user_shutdown});
}

TEST_CASE_METHOD(supervisor_fixture, "a crashed child starts again after the delay, not before") {
  start({"a"});
  diary->clear();
  break_child("a");
  CHECK_FALSE(child("a"));
  advance(99ms);
  CHECK(diary->empty());
  advance(1ms);
  CHECK(*diary == lines{"start a"});
  CHECK(child("a"));
  CHECK(ask<actor_status>(tree, get_status{})->last_error == "a: crashed(\"boom\")");
}

TEST_CASE_METHOD(supervisor_fixture,
                 "the delay doubles up to its limit and starts over when stable") {
  setup.policy.max_crashes = 100;
  start({"a"});
  for (auto expected : {100ms, 200ms, 400ms, 400ms}) {
    break_child("a");
    advance(expected - 1ms);
    CHECK_FALSE(child("a"));
    advance(1ms);
    CHECK(child("a"));
  }
  advance(60s);
  break_child("a");
  advance(100ms);
  CHECK(child("a"));
}

TEST_CASE_METHOD(supervisor_fixture, "a crash leaves the siblings alone") {
  start({"a", "b"});
  auto sibling = child("b");
  break_child("a");
  advance(100ms);
  CHECK(child("b") == sibling);
}

TEST_CASE_METHOD(supervisor_fixture,
                 "more crashes than the budget end the supervisor with the reason") {
  start({"a", "b"});
  for (int i = 0; i < 3; ++i) {
    break_child("a");
    advance(400ms);
  }
  CHECK_FALSE(ending().has_value());
  diary->clear();
  break_child("a");
  auto reason = ending();
  REQUIRE(reason.has_value());
  CHECK(*reason == ec::too_many_restarts);
  CHECK(render(*reason).find("boom") != std::string::npos);
  CHECK(*diary == lines{"stop b"});
}

TEST_CASE_METHOD(supervisor_fixture, "a child that failed for good ends the supervisor at once") {
  start({"a", "b"});
  self->send_exit(caf::actor_cast<caf::actor>(child("a")), caf::make_error(ec::kafka_fatal));
  CHECK(ending() == caf::error{ec::kafka_fatal});
  CHECK(diary->back() == "stop b");
}

TEST_CASE_METHOD(supervisor_fixture, "crashes outside of the window are forgotten") {
  start({"a"});
  for (int i = 0; i < 10; ++i) {
    break_child("a");
    advance(61s);
  }
  CHECK_FALSE(ending().has_value());
  CHECK(child("a"));
}

TEST_CASE_METHOD(supervisor_fixture, "a child that ends without being told to is started again") {
  start({"a"});
  self->send_exit(caf::actor_cast<caf::actor>(child("a")), caf::exit_reason::user_shutdown);
  settle();
  CHECK_FALSE(child("a"));
  advance(100ms);
  CHECK(child("a"));
}

TEST_CASE_METHOD(supervisor_fixture, "the directory follows every restart") {
  auto name = std::string{actor_names::consumer};
  start({name});
  auto before = dir->consumer();
  CHECK(before);
  break_child(name);
  CHECK_FALSE(dir->consumer());
  advance(100ms);
  CHECK(dir->consumer());
  CHECK(dir->consumer() != before);
}

TEST_CASE_METHOD(supervisor_fixture, "a child that does not stop in time is left behind") {
  setup.name = "root";
  auto deaf = [](caf::local_actor& parent) {
    return caf::actor_cast<caf::strong_actor_ptr>(
        parent.spawn([](caf::event_based_actor* me) -> caf::behavior {
          me->set_exit_handler([me](caf::exit_msg& x) {
            if (x.reason == caf::exit_reason::kill)
              me->quit(x.reason);
          });
          return {[](const crash_now&) {}};
        }));
  };
  tree =
      system.spawn(supervisor, setup,
                   std::vector<child_spec>{make_child("a", diary), {"deaf", deaf, false, 5s}}, dir);
  settle();
  self->monitor(tree);
  stop(tree);
  CHECK_FALSE(ending().has_value());
  advance(5s);
  CHECK(diary->back() == "stop a");
  CHECK(ending().has_value());
}

TEST_CASE_METHOD(supervisor_fixture, "children do not outlive a supervisor that crashed") {
  start({"a"});
  auto orphan = child("a");
  self->monitor(caf::actor_cast<caf::actor>(orphan));
  self->send(tree, crash_now{"boom"});
  settle();
  int ended = 0;
  for (int i = 0; i < 2; ++i)
    self->receive([&](const caf::down_msg&) { ++ended; },
                  caf::after(std::chrono::seconds(0)) >> [] {});
  CHECK(ended == 2);
}

} // namespace
} // namespace notify
