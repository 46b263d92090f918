#include "actors/operator_desk.hpp"
#include "messages/error.hpp"
#include "persistence/pg_dead_letter_store.hpp"
#include "persistence/pg_ingest_store.hpp"
#include "persistence/pg_operator_store.hpp"
#include "persistence/pg_read_store.hpp"
#include "tests/operators/populated_fixture.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/actor_cast.hpp>

namespace notify::test {
namespace {

/// Notes what it hears.
operation_runner_actor::behavior_type listener(operation_runner_actor::pointer,
                                               std::vector<int64_t>* heard) {
  return {
      [heard](const operation_stored& x) { heard->push_back(x.id); },
      [](const operation_tick&) {},
      [](get_status) { return actor_status{}; },
      [](const crash_now&) {},
  };
}

struct desk_fixture : actor_fixture, populated_fixture {
  desk_fixture() : populated_fixture(70) {
    dir->put(actor_names::operation_runner, caf::actor_cast<caf::strong_actor_ptr>(runner));
    dir->put(actor_names::operator_desk(1), caf::actor_cast<caf::strong_actor_ptr>(desk));
    settle();
  }
  ~desk_fixture() {
    stop(desk);
    stop(runner);
    dir->clear();
  }

  operator_desk_config settings() {
    operator_desk_config x;
    x.name = "operator-desk-1";
    x.channels = {"email"};
    return x;
  }

  directory_ptr dir = std::make_shared<directory>();
  std::vector<int64_t> heard;
  operation_runner_actor runner = system.spawn(listener, &heard);
  operator_desk_stores stores{std::make_shared<pg_read_store>(db.config()),
                              std::make_shared<pg_operator_store>(db.config()),
                              std::make_shared<pg_dead_letter_store>(db.config(), "api"),
                              std::make_shared<pg_ingest_store>(db.config())};
  operator_desk_actor desk =
      system.spawn(operator_desk, settings(), stores,
                   replay_rules{std::make_shared<const routing_table>(), {}}, dir);
};

TEST_CASE_METHOD(desk_fixture, "a desk answers questions and does what it is asked for") {
  notification_filter dead;
  dead.status = "dead";
  auto page = ask<notification_page>(desk, list_notifications{dead, 5, ""});
  REQUIRE(page);
  REQUIRE(page->items.size() == 5);
  auto id = page->items[0].id;
  CHECK(ask<notification_story>(desk, get_notification{id})->history.notification.id == id);
  CHECK(ask<event_story>(desk, get_event{page->items[0].event_id})->notifications.size() == 1);
  CHECK(ask<notification_acted>(desk, retry_notification{id, false, "ada"})->notification.status
        == "retry_wait");
  CHECK(ask<notification_acted>(desk, cancel_notification{id, "ada"})->notification.status
        == "cancelled");
  auto again = ask<notification_acted>(desk, cancel_notification{id, "ada"});
  REQUIRE_FALSE(again);
  CHECK(again.error() == ec::wrong_state);
  CHECK(ask<audit_page>(desk, list_audit{})->items.size() == 2);
  auto status = ask<actor_status>(desk, get_status{});
  CHECK(status->name == "operator-desk-1");
  // What a person got wrong is no failure of the desk.
  CHECK(status->counters.at("failed") == 0);
  CHECK(status->processed == 7);
}

TEST_CASE_METHOD(desk_fixture, "a stored operation is told to the runner") {
  notification_filter dead;
  dead.status = "dead";
  CHECK(ask<operation_preview>(desk, preview_operation{bulk_kind::retry, dead})->count == 10);
  CHECK(heard.empty());
  auto started = ask<operation_line>(desk, start_operation{bulk_kind::retry, dead, false, "ada"});
  REQUIRE(started);
  CHECK(heard == std::vector<int64_t>{started->id});
  CHECK(ask<operation_line>(desk, cancel_operation{started->id, "ada"})->status == "cancelled");
  CHECK(ask<operation_line>(desk, get_operation{started->id})->status == "cancelled");
  CHECK(ask<operation_page>(desk, list_operations{})->items.size() == 1);
  CHECK(ask<skipped_page>(desk, list_skipped{started->id, 5, ""})->items.empty());
}

TEST_CASE_METHOD(desk_fixture, "only channels that there are can be paused") {
  CHECK(ask<channel_pause_set>(desk, pause_channel{"email", true, "ada"})->changed);
  CHECK(ask<pause_list>(desk, get_pauses{})->items.size() == 1);
  auto unknown = ask<channel_pause_set>(desk, pause_channel{"pigeon", true, "ada"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error() == ec::not_found);
}

TEST_CASE_METHOD(desk_fixture, "desks take turns, and one that is away is passed over") {
  operator_desks desks{dir};
  CHECK(desks.next() == desk);
  CHECK(desks.next() == desk);
  auto other = system.spawn(operator_desk, settings(), stores, replay_rules{}, dir);
  dir->put(actor_names::operator_desk(0), caf::actor_cast<caf::strong_actor_ptr>(other));
  auto first = desks.next();
  CHECK(desks.next() != first);
  CHECK(desks.next() == first);
  dir->clear();
  CHECK_FALSE(desks.next());
  stop(other);
}

} // namespace
} // namespace notify::test
