#include "messages/error.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/message.hpp>

namespace notify {

std::string to_string(ec code) {
  switch (code) {
  case ec::none:
    return "none";
  case ec::storage_unavailable:
    return "storage_unavailable";
  case ec::storage_conflict:
    return "storage_conflict";
  case ec::storage_data:
    return "storage_data";
  case ec::storage_schema:
    return "storage_schema";
  case ec::lease_lost:
    return "lease_lost";
  case ec::invalid_event:
    return "invalid_event";
  case ec::invalid_template:
    return "invalid_template";
  case ec::invalid_config:
    return "invalid_config";
  case ec::kafka_unavailable:
    return "kafka_unavailable";
  case ec::kafka_fatal:
    return "kafka_fatal";
  case ec::crashed:
    return "crashed";
  case ec::too_many_restarts:
    return "too_many_restarts";
  case ec::stopping:
    return "stopping";
  case ec::listen_failed:
    return "listen_failed";
  case ec::ingest_halted:
    return "ingest_halted";
  case ec::not_found:
    return "not_found";
  case ec::wrong_state:
    return "wrong_state";
  case ec::invalid_request:
    return "invalid_request";
  }
  return "unknown";
}

std::string render(const caf::error& err) {
  if (!err)
    return "none";
  if (err.category() != caf::atom("notify"))
    return caf::actor_system_config::render(err);
  auto name = to_string(static_cast<ec>(err.code()));
  if (!err.context().empty())
    name += to_string(err.context());
  return name;
}

bool is_transient(const caf::error& err) {
  return err == ec::storage_unavailable || err == ec::storage_conflict
         || err == ec::kafka_unavailable;
}

} // namespace notify
