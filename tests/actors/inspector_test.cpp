#include "actors/inspector.hpp"

#include "actors/crash_report.hpp"
#include "actors/supervisor.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

namespace notify {
namespace {

using namespace std::chrono_literals;

child_spec answering_child(const std::string& name) {
  return {name, [name](caf::local_actor& parent) {
            return caf::actor_cast<caf::strong_actor_ptr>(
                parent.spawn([name](caf::event_based_actor* self) -> caf::behavior {
                  report_crashes(self);
                  return {[name](get_status) {
                            actor_status x;
                            x.name = "own name";
                            x.state = "fine";
                            return x;
                          },
                          [](const crash_now& x) { crash(x); }};
                }));
          }};
}

/// Takes the question and never answers, as an actor in a blocking call does.
child_spec silent_child(const std::string& name) {
  return {name, [](caf::local_actor& parent) {
            return caf::actor_cast<caf::strong_actor_ptr>(
                parent.spawn([](caf::event_based_actor* self) -> caf::behavior {
                  return {
                      [self](get_status) { return self->make_response_promise<actor_status>(); }};
                }));
          }};
}

child_spec pool(const std::string& name, const directory_ptr& dir,
                const std::vector<child_spec>& children) {
  return {name,
          [=](caf::local_actor& parent) {
            supervisor_setup setup;
            setup.name = name;
            return caf::actor_cast<caf::strong_actor_ptr>(
                parent.spawn(supervisor, setup, children, dir));
          },
          true};
}

struct inspector_fixture : test::actor_fixture {
  inspector_fixture() {
    supervisor_setup setup;
    setup.name = "service";
    std::vector<child_spec> children{
        answering_child("a"), pool("workers", dir, {answering_child("w0"), answering_child("w1")}),
        silent_child("z")};
    root = system.spawn(supervisor, setup, children, dir);
    settle();
    looker = system.spawn(inspector, inspector_config{}, root);
    settle();
  }

  ~inspector_fixture() {
    stop(looker);
    stop(root);
    dir->clear();
  }

  caf::expected<actor_tree> look() {
    auto pending = self->request(looker, caf::infinite, get_actors{});
    settle();
    advance(500ms);
    caf::expected<actor_tree> result{caf::error{}};
    pending.receive([&](const actor_tree& x) { result = x; },
                    [&](caf::error& err) { result = std::move(err); });
    return result;
  }

  directory_ptr dir = std::make_shared<directory>();
  supervisor_actor root;
  inspector_actor looker;
};

TEST_CASE_METHOD(inspector_fixture, "the tree shows every actor in order, and who keeps silent") {
  auto tree = look();
  REQUIRE(tree);
  std::string lines;
  for (const auto& x : tree->lines)
    lines += std::string(x.depth, ' ') + x.status.name + (x.answered ? "" : "?") + "\n";
  CHECK(lines == "root\n a\n workers\n  w0\n  w1\n z?\n");
  CHECK(tree->lines.back().status.state == "busy");
}

TEST_CASE_METHOD(inspector_fixture, "the tree tells for how long an actor has not answered") {
  auto first = look();
  REQUIRE(first);
  CHECK(first->lines.back().silent_ms == 500);
  CHECK(first->lines.front().silent_ms == 0);
  advance(10s);
  auto second = look();
  REQUIRE(second);
  // Since it was asked first, not since the last question.
  CHECK(second->lines.back().silent_ms == 11'000);
}

TEST_CASE_METHOD(inspector_fixture, "an actor that answers again was silent no longer") {
  self->send(caf::actor_cast<caf::actor>(ask<child_list>(root, get_children{})->children[0].handle),
             crash_now{"boom"});
  settle();
  CHECK(look()->lines[1].silent_ms == 500); // It waits for its restart.
  CHECK(look()->lines[1].silent_ms == 0);
  self->send(caf::actor_cast<caf::actor>(ask<child_list>(root, get_children{})->children[0].handle),
             crash_now{"boom"});
  settle();
  CHECK(look()->lines[1].silent_ms == 500);
}

TEST_CASE_METHOD(inspector_fixture, "a child between two restarts is named as such") {
  self->send(caf::actor_cast<caf::actor>(ask<child_list>(root, get_children{})->children[0].handle),
             crash_now{"boom"});
  settle();
  auto tree = look();
  REQUIRE(tree);
  // By the time of the answer it may run again; the line tells what was true when asked.
  CHECK(tree->lines[1].status.state == "waiting for its restart");
  CHECK_FALSE(tree->lines[1].answered);
  tree = look();
  CHECK(tree->lines[1].answered);
  CHECK(tree->lines[1].restarts == 1u);
}

} // namespace
} // namespace notify
