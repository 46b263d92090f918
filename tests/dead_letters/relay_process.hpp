#pragma once

#include "actors/dead_letter_relay.hpp"
#include "messages/registration.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <catch2/catch.hpp>

#include <chrono>

namespace notify::test {

/// A relay on a thread of its own with real producers; stopped in order at the end.
class relay_process {
public:
  relay_process(letter_relay_store_ptr store, const std::string& brokers,
                dead_letter_relay_config config) {
    consumer_config kafka;
    kafka.brokers = {brokers};
    auto senders = dead_letter_senders(kafka, config.timing);
    relay_ = system_.spawn<caf::detached>(dead_letter_relay, config, std::move(store), senders);
  }

  ~relay_process() { end(caf::exit_reason::user_shutdown); }

  void kill() { end(caf::exit_reason::kill); }

  actor_status status() {
    actor_status result;
    caf::scoped_actor self{system_};
    self->request(relay_, caf::duration{std::chrono::seconds{60}}, get_status{})
        .receive([&](actor_status& x) { result = std::move(x); },
                 [](caf::error& err) { FAIL(to_string(err)); });
    return result;
  }

  void hint() { caf::anon_send(relay_, dead_letters_stored{1}); }

private:
  void end(caf::exit_reason reason) {
    if (!relay_)
      return;
    caf::scoped_actor self{system_};
    self->send_exit(relay_, reason);
    self->wait_for(relay_);
    relay_ = nullptr;
  }

  struct system_config : caf::actor_system_config {
    system_config() {
      register_messages(*this);
      set("scheduler.max-threads", 2);
    }
  };

  system_config config_;
  caf::actor_system system_{config_};
  dead_letter_relay_actor relay_;
};

/// Short times, so that tests need not wait for long.
inline dead_letter_relay_config quick_relay(const std::string& topic) {
  using namespace std::chrono_literals;
  dead_letter_relay_config x;
  x.origin = {topic, "group", "1"};
  x.timing.topic = topic;
  x.timing.poll_interval = 100ms;
  x.timing.first_retry = 50ms;
  x.timing.park_interval = 200ms;
  x.timing.message_timeout = 5s;
  return x;
}

} // namespace notify::test
