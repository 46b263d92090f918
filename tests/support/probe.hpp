#pragma once

#include "messages/actors.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <memory>
#include <vector>

namespace notify::test {

/// What a stand-in for one actor received, by type.
struct received {
  std::vector<deliver> delivered;
  std::vector<send_finished> answers;
  std::vector<result_recorded> recorded;
  std::vector<worker_ready> ready;
  std::vector<worker_busy> busy;
  std::vector<jobs_ready> hints;
  std::vector<send_message> sends;
  std::vector<record_result> results;
};

/// An actor that only writes down what it is told; it can stand in for any typed handle.
template <class Handle>
Handle spawn_probe(caf::actor_system& system, std::shared_ptr<received> log) {
  auto actor = system.spawn([log](caf::event_based_actor*) -> caf::behavior {
    return {
        [log](const deliver& x) { log->delivered.push_back(x); },
        [log](const send_finished& x) { log->answers.push_back(x); },
        [log](const result_recorded& x) { log->recorded.push_back(x); },
        [log](const worker_ready& x) { log->ready.push_back(x); },
        [log](const worker_busy& x) { log->busy.push_back(x); },
        [log](const jobs_ready& x) { log->hints.push_back(x); },
        [log](const send_message& x) { log->sends.push_back(x); },
        [log](const record_result& x) { log->results.push_back(x); },
    };
  });
  return caf::actor_cast<Handle>(actor);
}

} // namespace notify::test
