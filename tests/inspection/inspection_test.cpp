#include "actors/inspection.hpp"

#include "actors/crash_report.hpp"
#include "actors/inspector.hpp"
#include "actors/supervisor.hpp"
#include "messages/error.hpp"
#include "messages/registration.hpp"
#include "tests/notifyctl/ctl_run.hpp"
#include "tests/support/scripted_http.hpp"
#include "tests/support/wait.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <catch2/catch.hpp>

#include <future>

// Two actor systems on real threads and a real loopback port.

namespace notify {
namespace {

using namespace std::chrono_literals;
using test::contains;
using test::eventually;
using test::notifyctl;

struct service_system_config : caf::actor_system_config {
  service_system_config() {
    register_messages(*this);
    enable_inspection(*this);
    set("scheduler.max-threads", 2);
  }
};

/// A tree of the inspector alone, with its port open.
struct inspection_fixture {
  inspection_fixture() {
    supervisor_setup setup;
    setup.name = "root";
    setup.policy.first_delay = 1ms;
    child_spec inspector_child{actor_names::inspector, [](caf::local_actor& parent) {
                                 auto above = caf::actor_cast<supervisor_actor>(
                                     caf::strong_actor_ptr{parent.ctrl()});
                                 return caf::actor_cast<caf::strong_actor_ptr>(
                                     parent.spawn(inspector, inspector_config{}, above));
                               }};
    root = system.spawn(supervisor, setup, std::vector<child_spec>{inspector_child}, dir);
    REQUIRE(eventually([&] { return static_cast<bool>(dir->inspector()); }));
    auto opened = inspection_port::open(system, dir, 0);
    REQUIRE(opened);
    port = std::move(*opened);
  }

  ~inspection_fixture() {
    port.reset();
    caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
    caf::scoped_actor self{system};
    self->wait_for(caf::actor_cast<caf::strong_actor_ptr>(root));
    dir->clear();
  }

  std::string address() const { return "--address=127.0.0.1:" + std::to_string(port->port()); }

  service_system_config config;
  caf::actor_system system{config};
  directory_ptr dir = std::make_shared<directory>();
  supervisor_actor root;
  std::unique_ptr<inspection_port> port;
};

TEST_CASE_METHOD(inspection_fixture, "the tree is seen through the port") {
  inspection_client client{"127.0.0.1", port->port()};
  auto tree = client.look(caf::duration{5s});
  REQUIRE(tree);
  REQUIRE(tree->lines.size() == 2u);
  CHECK(tree->lines[0].status.name == "root");
  CHECK(tree->lines[1].status.name == "inspector");
  CHECK(tree->lines[1].answered);
}

TEST_CASE_METHOD(inspection_fixture,
                 "a restart of the inspector neither closes the port nor makes a "
                 "handle void") {
  inspection_client client{"127.0.0.1", port->port()};
  REQUIRE(client.look(caf::duration{5s}));
  auto old = dir->inspector();
  caf::anon_send(caf::actor_cast<caf::actor>(old), crash_now{"boom"});
  REQUIRE(eventually([&] {
    auto now = dir->inspector();
    return now && now != old;
  }));
  auto tree = client.look(caf::duration{5s});
  REQUIRE(tree);
  CHECK(tree->lines[1].restarts == 1u);
  inspection_client another{"127.0.0.1", port->port()};
  CHECK(another.look(caf::duration{5s}));
}

TEST_CASE_METHOD(inspection_fixture, "while there is no inspector the answer says so") {
  dir->clear();
  inspection_client client{"127.0.0.1", port->port()};
  auto tree = client.look(caf::duration{5s});
  REQUIRE_FALSE(tree);
  CHECK(tree.error() == ec::stopping);
}

TEST_CASE_METHOD(inspection_fixture, "a port that is taken is refused with its number") {
  auto second = inspection_port::open(system, dir, port->port());
  REQUIRE_FALSE(second);
  CHECK(second.error() == ec::listen_failed);
  CHECK(contains(render(second.error()), std::to_string(port->port())));
}

TEST_CASE_METHOD(inspection_fixture, "a port that was closed can be opened again at once") {
  auto number = port->port();
  {
    inspection_client client{"127.0.0.1", number};
    REQUIRE(client.look(caf::duration{5s}));
    port.reset();
    CHECK_FALSE(client.look(caf::duration{5s}));
  }
  inspection_client late{"127.0.0.1", number};
  auto nobody = late.look(caf::duration{5s});
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error() == ec::not_found);
  auto again = inspection_port::open(system, dir, number);
  REQUIRE(again);
  port = std::move(*again);
}

TEST_CASE("an open port with a client does not keep the actor system alive") {
  auto ended = std::async(std::launch::async, [] {
    inspection_fixture fixture;
    inspection_client client{"127.0.0.1", fixture.port->port()};
    return static_cast<bool>(client.look(caf::duration{5s}));
  });
  REQUIRE(ended.wait_for(30s) == std::future_status::ready);
  CHECK(ended.get());
}

TEST_CASE("whoever else listens is not taken for a service") {
  test::scripted_http web{{test::web::serve(200, "hello")}};
  inspection_client client{"127.0.0.1", web.port()};
  auto tree = client.look(caf::duration{2s});
  REQUIRE_FALSE(tree);
  CHECK(tree.error() == ec::invalid_request);
}

TEST_CASE("a listener that says nothing is given up after the time that was given") {
  test::scripted_http silent{{test::web::freeze()}};
  inspection_client client{"127.0.0.1", silent.port()};
  auto tree = client.look(caf::duration{300ms});
  REQUIRE_FALSE(tree);
  CHECK(tree.error() == ec::invalid_request);
}

TEST_CASE("a service of another version is told from this one") {
  struct other_config : caf::actor_system_config {
    other_config() {
      register_messages(*this);
      load<caf::io::middleman>();
      set("middleman.app-identifiers", std::vector<std::string>{"notifyd-inspection-0"});
    }
  } config;
  caf::actor_system system{config};
  auto door = system.spawn(inspection_door, std::make_shared<directory>());
  auto port = system.middleman().publish(door, 0, "127.0.0.1");
  REQUIRE(port);
  auto result = notifyctl({"actors", "--address=127.0.0.1:" + std::to_string(*port)});
  CHECK(result.code == cli::failed);
  CHECK(contains(result.err, "another version"));
  caf::anon_send_exit(door, caf::exit_reason::user_shutdown);
}

TEST_CASE_METHOD(inspection_fixture, "notifyctl actors prints the tree, as text or JSON") {
  auto text = notifyctl({"actors", address()});
  INFO(text.err);
  CHECK(text.code == cli::success);
  CHECK(contains(text.out, "\nroot         running"));
  CHECK(contains(text.out, "\n  inspector  running"));
  auto json = notifyctl({"actors", address(), "--json"});
  CHECK(json.code == cli::success);
  CHECK(contains(json.out, R"("name":"inspector","depth":1,"state":"running")"));
}

TEST_CASE_METHOD(inspection_fixture, "notifyctl top looks twice for one table of rates") {
  auto result = notifyctl({"top", address(), "--once", "--interval=20"});
  INFO(result.err);
  CHECK(result.code == cli::success);
  CHECK(result.lines() == 3u);
  CHECK(contains(result.out, "PER SECOND"));
  CHECK_FALSE(contains(result.out, "\x1b"));
}

} // namespace
} // namespace notify
